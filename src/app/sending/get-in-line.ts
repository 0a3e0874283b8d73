import { isElsewhere } from '../../core/incident/claims.ts'
import type { SendingNode } from '../../core/incident/command.ts'
import type { Delivery } from '../../core/incident/delivery.ts'
import { dueAttempts, nextActionAt } from '../../core/incident/next-action.ts'
import { SECOND } from '../../lib/durations.ts'
import type { Clock } from '../../ports/clock.ts'
import type { IncidentStore } from '../../ports/store.ts'
import type { Agenda } from './agenda.ts'
import { isExtra, type Turns } from './turns.ts'

/** How often an incident is checked whose attempts wait for their turn, if nothing about it changes. */
const LOOK_AGAIN_MS = 10 * SECOND
/** The same for a drill whose attempts wait until nothing real is due. */
export const HELD_BACK_MS = 2 * SECOND

type LineNeeds = {
  readonly store: Pick<IncidentStore, 'incident'>
  readonly clock: Pick<Clock, 'now'>
  readonly turns: Turns
  readonly agenda: Agenda
  /** The identity for claims now; undefined if only one process can send, null while this one may claim nothing. */
  readonly node: () => SendingNode | null | undefined
  /** Whether nothing real is due, so that a drill may get in line. */
  readonly isQuiet: () => Promise<boolean>
}

/** Whether this process may make new claims; `node` as in `LineNeeds`. A draining node leaves them to the others. */
export const mayClaim = (node: SendingNode | null | undefined): boolean => node !== null && node?.isDraining !== true

/**
 * Puts an incident's due attempts in line. True if the incident has something else to do, or an attempt may leave at
 * once. Rejects with a StoreError.
 */
export async function getInLine(incidentId: string, needs: LineNeeds): Promise<boolean> {
  const { store, clock, turns, agenda, isQuiet } = needs
  const record = await store.incident(incidentId)
  if (record === null) {
    agenda.isOutOfLine(incidentId, Number.POSITIVE_INFINITY)
    return true
  }
  const { incident } = record
  const now = clock.now()
  const due = dueAttempts(incident, now)
  const extras = due.filter((row) => isExtra(row, incident))
  const isHeldBack = extras.length > 0 && !(await isQuiet())
  const rows = isHeldBack ? due.filter((row) => !extras.includes(row)) : due
  const node = needs.node()
  if (mayClaim(node)) for (const row of rows) turns.ask(row, incident, now)
  turns.leaveToOthers(incident)
  const isLeftOut = (row: Delivery) =>
    turns.isAsked(row) || isElsewhere(row, node ?? undefined) || (isHeldBack && extras.includes(row))
  const next = nextActionAt(incident, isLeftOut) ?? Number.POSITIVE_INFINITY
  const isInLine = isHeldBack || rows.some(({ id }) => turns.isWaiting(id))
  const lookAgainAt = now + (isHeldBack ? HELD_BACK_MS : LOOK_AGAIN_MS)
  if (isInLine) agenda.standsInLine(incidentId, Math.min(next, lookAgainAt), incident.drill !== undefined)
  else agenda.isOutOfLine(incidentId, next)
  return next <= now || rows.some(({ id }) => !turns.isWaiting(id))
}
