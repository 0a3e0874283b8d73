import { countOf, GROUNDS, iconOf, markOf } from '../logic/mark.ts'

/** The icon of the tab with a number, so that one glance at a row of tabs is enough. */
const icon = (count: number, urgent: boolean): string =>
  iconOf(count === 0 ? markOf(GROUNDS.calm) : countOf(count, urgent ? GROUNDS.urgent : GROUNDS.attended))

/** Counts in the title and in the icon. `unattended`: those that nobody has taken. */
export function countInTab(open: number, unattended: number, title: string): void {
  document.title = open === 0 ? title : `(${unattended > 0 ? `${unattended}!` : open}) ${title}`
  const link = document.querySelector<HTMLLinkElement>('link[rel=icon]')
  const href = icon(open, unattended > 0)
  if (link !== null && link.getAttribute('href') !== href) link.href = href
}
