import { computed, signal } from '@preact/signals'
import { type BoardFilter, filtered, filterOf, isFiltering, queryOf } from '../logic/board-filter.ts'
import { open } from './board.ts'
import { me } from './session.ts'

const queryOfAddress = (): string => /^#\/(?:wall)?\?(.*)$/.exec(location.hash)?.[1] ?? ''

/** The filter of this screen, as in its address. */
export const filter = signal<BoardFilter>(filterOf(queryOfAddress()))
/** The open alarms that this screen shows, the most urgent first. */
export const shownAlarms = computed(() => filtered(open.value, filter.value, me.value?.id ?? null))

/** In the address without an entry in the history: *back* leads to the view before the board. */
const write = (): void => {
  const path = location.hash.startsWith('#/wall') ? '#/wall' : '#/'
  history.replaceState(null, '', path + queryOf(filter.value))
}

export function setFilter(change: Partial<BoardFilter>): void {
  filter.value = { ...filter.value, ...change }
  write()
}

const isBoard = (): boolean => /^#?\/?(\?.*)?$|^#\/wall(\?.*)?$/.test(location.hash)

addEventListener('hashchange', () => {
  if (!isBoard()) return
  const query = queryOfAddress()
  if (query !== '') filter.value = filterOf(query)
  // Links to the board, such as the one back from an alarm, keep this screen's filter.
  else if (isFiltering(filter.value)) write()
})
