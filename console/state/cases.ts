import { poll } from '../api/client.ts'
import { stream } from '../api/stream.ts'
import type { Case, Item } from '../api/types.ts'
import { open } from './board.ts'
import { browserNow } from './clock.ts'
import { route } from './route.ts'

/** A case as it was at `at` (epoch ms, the browser's clock). */
type Kept = { readonly found: Case; readonly at: number }

/** Further open cases are read when they are opened. */
const MAX_KEPT = 200
const EVERY_MS = 1000
const kept = new Map<string, Kept>()
/** The versions that could not be read. One case that fails does not keep all others from being read. */
const failed = new Map<string, number>()

export const keptCase = (id: string): Kept | null => kept.get(id) ?? null

/** It has been erased. */
export const forgetCase = (id: string): void => void kept.delete(id)

export function keepCase(found: Case): void {
  const { incidentId } = found.incident
  kept.delete(incidentId)
  kept.set(incidentId, { found, at: browserNow.peek() })
  if (kept.size > MAX_KEPT) kept.delete(kept.keys().next().value!)
}

/**
 * Reads the open cases one after the other, the most urgent first, so that none of them is a blank page without a
 * network. A wall screen opens none. Returns a function that stops it.
 */
export function keepCases(): () => void {
  let isReading = false
  const next = (): Item | null => {
    const wanted = open.peek().slice(0, MAX_KEPT)
    const missing = wanted.filter(({ incidentId, version }) => kept.get(incidentId)?.found.incident.version !== version)
    const found = missing.find(({ incidentId, version }) => failed.get(incidentId) !== version)
    if (found === undefined) failed.clear()
    return found ?? null
  }
  const timer = setInterval(async () => {
    if (isReading || !stream.peek().live || document.visibilityState !== 'visible' || route.peek().view === 'wall')
      return
    const item = next()
    if (item === null) return
    const { incidentId: id, version } = item
    isReading = true
    // An incident that is gone meanwhile leaves the board with the next event.
    // Nobody has opened it, so it is not noted as a view of this incident.
    await poll<Case>(`/incidents/${id}?ahead=true`).then(keepCase, () => failed.set(id, version))
    isReading = false
  }, EVERY_MS)
  return () => clearInterval(timer)
}
