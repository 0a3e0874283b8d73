import { type Channel, type Delivery, hasTarget, isReached, isWaiting } from './delivery.ts'
import { isContactsRow } from './escalation.ts'
import type { Incident } from './incident.ts'
import { type Upcoming, upcomingOf } from './upcoming.ts'

/** The state of a stage of the cascade. */
export const stageStates = ['ahead', 'done', 'failed', 'skipped'] as const
type StageState = (typeof stageStates)[number]

/**
 * How far the current round has come: the message to its first contact, the call to them, and the other contacts. A
 * stage that the round does not have is absent.
 */
export type Progress = { readonly message?: StageState; readonly call?: StageState; readonly others?: StageState }

/** An alarm's next automatic step. `name`: of the contact that a message is for. `at`: epoch ms. */
export type NextStep = {
  readonly at: number
  readonly what: Exclude<Upcoming['what'], 'closes'>
  readonly channel?: Channel
  readonly name?: string
}

/** Null: nothing but the automatic end. Chat, webhook and mail wake nobody. */
export function nextStepOf(incident: Incident): NextStep | null {
  for (const step of upcomingOf(incident)) {
    if (step.what === 'closes') continue
    if (step.what !== 'message') return { at: step.at, what: step.what }
    const { at, purpose, channel, contactId } = step
    if ((purpose !== 'alarm' && purpose !== 'check_in') || channel === 'email') continue
    const contact = incident.contacts.find((known) => known.contactId === contactId)
    if (contact !== undefined) return { at, what: 'message', channel, name: contact.name }
  }
  return null
}

export function progressOf({ deliveries, cascade, contacts }: Incident): Progress {
  const rows = deliveries.filter(
    (row) => row.purpose === 'alarm' && row.round === cascade.round && isContactsRow(row) && hasTarget(row),
  )
  const first = contacts.find(({ contactId }) => rows.some((row) => row.contactId === contactId))
  const stage = (belongs: (row: Delivery) => boolean): StageState | undefined => stateOf(rows.filter(belongs))
  const message = stage((row) => row.contactId === first?.contactId && row.channel !== 'voice')
  const call = stage((row) => row.contactId === first?.contactId && row.channel === 'voice')
  const others = stage((row) => row.contactId !== first?.contactId)
  return { ...(message && { message }), ...(call && { call }), ...(others && { others }) }
}

/** Reached if one got through; failed once none is left to try. */
function stateOf(rows: readonly Delivery[]): StageState | undefined {
  if (rows.length === 0) return undefined
  if (rows.some(isReached)) return 'done'
  if (rows.some((row) => isWaiting(row) || row.status === 'scheduled')) return 'ahead'
  return rows.some(({ status }) => status === 'failed') ? 'failed' : 'skipped'
}
