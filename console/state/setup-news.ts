import { computed, effect, signal } from '@preact/signals'
import { poll } from '../api/client.ts'
import type { SetupNews } from '../api/types.ts'
import { putAwayIn } from './put-away.ts'
import { maySetUp, me } from './session.ts'

/** Of this browser alone: somebody at another one, with a stolen password, must not put the news away here. */
const seen = putAwayIn('tocsin.setup-seen', 500)
const found = signal<readonly SetupNews[]>([])

/** Guarded changes of the setup that nobody has put away in this browser, newest first. */
export const setupNews = computed<readonly SetupNews[]>(() =>
  found.value.filter(({ id }) => !seen.ids.value.includes(id)),
)

export const putSetupNewsAway = (ids: readonly string[]): void => seen.add(...ids)

/** A change just made here is not announced here. */
export function noteOwnChange(changes: readonly Pick<SetupNews, 'id' | 'author'>[]): void {
  const own = changes.find(({ author }) => author === me.peek()?.name)
  if (own !== undefined) putSetupNewsAway([own.id])
}

const EVERY_MS = 60_000

/** Asks now and then, for those who may change the setup. Returns a function that stops it. */
export function keepSetupNews(): () => void {
  const look = (): void =>
    void poll<{ changes: readonly SetupNews[] }>('/setup/news').then(
      ({ changes }) => (found.value = changes),
      () => {},
    )
  let timer: ReturnType<typeof setInterval> | undefined
  const stop = effect(() => {
    clearInterval(timer)
    if (!maySetUp.value) return
    look()
    timer = setInterval(look, EVERY_MS)
  })
  return () => {
    stop()
    clearInterval(timer)
  }
}
