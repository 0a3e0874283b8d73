import { signal } from '@preact/signals'

export const views = ['home', 'timers', 'contacts', 'ready', 'more'] as const
export type View = (typeof views)[number]

const read = (): View => {
  const name = location.hash.replace(/^#\//, '')
  return views.find((view) => view === name) ?? 'home'
}

export const view = signal<View>(read())
addEventListener('hashchange', () => {
  view.value = read()
  scrollTo(0, 0)
})

export const linkTo = (to: View): string => (to === 'home' ? '#/' : `#/${to}`)
