import type { Delivery } from '../../core/incident/delivery.ts'
import { overdueView } from '../../core/incident/event.ts'
import type { ContactResponse, Incident, IncidentContact } from '../../core/incident/incident.ts'
import { isoAt, pressAt } from '../../core/ingest/event-time.ts'
import type { AuditRow } from '../../core/operator/audit.ts'
import type { CalledBack, IncidentNote, PressTimes } from '../../ports/store.ts'
import { remarkView } from './board-item.ts'

/** The sources of a timeline. `attempts`: oldest first. */
export type Told = {
  readonly incident: Incident
  readonly attempts: readonly Delivery[]
  readonly pressTimes: readonly PressTimes[]
  readonly actions: readonly AuditRow[]
  readonly notes: readonly IncidentNote[]
  readonly calledBack: readonly CalledBack[]
}

/** Actions whose result is already in the timeline. */
const stands: ReadonlySet<string> = new Set(['incident.note', 'incident.message', 'incident.called_back'])

type Moment = { readonly at: number; readonly kind: string }

/**
 * The events, oldest first, as data: the reader words them. Attempts that never ran are left out. A press stands at its
 * own time; one that arrived late has a second entry, `arrived`, at the time of its arrival.
 */
export function timelineEntries({ incident, attempts, pressTimes, actions, notes, calledBack }: Told) {
  const { openedAt, occurredAt, relayUserId, state, closing, takenBy } = incident
  const { overdue, laterTimers = [] } = incident
  const again = withoutEach(
    pressTimes.filter(({ receivedAt }) => receivedAt > openedAt),
    laterTimers.map(({ at }) => at),
  )
  const entries = [
    ...(overdue === undefined
      ? pressEntries({ pressedAt: occurredAt.ms, receivedAt: openedAt }, (at, lateMs) => ({
          at,
          kind: 'pressed' as const,
          occurredAt: occurredAt.text,
          relayed: relayUserId !== null,
          ...(lateMs !== null && { late: true as const }),
        }))
      : [{ at: openedAt, kind: 'overdue' as const, ...overdueView(overdue) }]),
    ...again.flatMap((press) =>
      pressEntries(press, (at, lateMs) => ({
        at,
        kind: 'pressed_again' as const,
        ...(lateMs !== null && { late: true as const }),
      })),
    ),
    ...laterTimers.map((timer) => ({ at: timer.at, kind: 'overdue' as const, ...overdueView(timer) })),
    ...attempts.filter(hasRun).map(attemptEntry),
    ...incident.contacts.flatMap(answerEntries),
    // Since there is an audit log, the operator's take is among the actions.
    ...(takenBy && takenBy.operatorId === undefined && actions.every(({ action }) => action !== 'incident.take')
      ? [{ at: takenBy.at, kind: 'taken' as const, by: takenBy.name }]
      : []),
    ...actions.filter(({ action }) => !stands.has(action)).map(actionEntry),
    ...notes.map(({ id, by, at, text }) => ({ at, kind: 'note' as const, noteId: id, by, text })),
    ...calledBack.map(({ contactId, by, at }) => ({ at, kind: 'called_back' as const, contactId, by })),
    ...(state.closedAt === null
      ? []
      : [
          {
            at: state.closedAt,
            kind: 'closed' as const,
            status: state.status,
            by: closing?.by ?? null,
            name: closing?.name ?? null,
            ...remarkView(closing),
          },
        ]),
  ]
  return entries.toSorted(byTime).map(({ at, ...entry }) => ({ at: isoAt(at), ...entry }))
}

export type TimelineEntry = ReturnType<typeof timelineEntries>[number]

/** The press at its own time, and its arrival if that was late. */
function pressEntries<T>(
  { pressedAt: occurredAt, receivedAt }: PressTimes,
  entry: (at: number, lateMs: number | null) => T,
) {
  const { pressedAt, lateMs } = pressAt(occurredAt, receivedAt)
  const arrived = { at: receivedAt, kind: 'arrived' as const, pressedAt: isoAt(pressedAt) }
  return [entry(pressedAt, lateMs), ...(lateMs === null ? [] : [arrived])]
}

/** `presses` without one for each of `arrivals`: an expired timer is stored as an alert, too. */
function withoutEach(presses: readonly PressTimes[], arrivals: readonly number[]): readonly PressTimes[] {
  const left = [...presses]
  for (const arrival of arrivals) {
    const found = left.findIndex(({ receivedAt }) => receivedAt === arrival)
    if (found !== -1) left.splice(found, 1)
  }
  return left
}

const byTime = (a: Moment, b: Moment): number => a.at - b.at

/** A retry that still waits has run once, and failed. */
const hasRun = ({ status, error }: Delivery): boolean =>
  status !== 'skipped' && (status !== 'scheduled' || error !== null)

const attemptEntry = (row: Delivery) => ({
  at: row.updatedAt,
  kind: 'message' as const,
  attemptId: row.id,
  purpose: row.purpose,
  channel: row.channel,
  contactId: row.contactId,
  status: row.status,
  attempt: row.attempt,
  round: row.round,
  provider: row.provider,
  error: row.error,
  ...inDoubt(row),
})

/** Marks a failed attempt that may have arrived: it must not be read as one that did not. rules.md#all-clear. */
export const inDoubt = ({ status, mayHaveArrived }: Delivery): { readonly mayHaveArrived?: true } =>
  status === 'failed' && mayHaveArrived ? { mayHaveArrived } : {}

type Answered = {
  readonly at: number
  readonly kind: 'answered'
  readonly contactId: string
  readonly answer: 'helping' | ContactResponse['kind']
  readonly etaMinutes?: number
}

function answerEntries({ contactId, acknowledgedAt, response }: IncidentContact): readonly Answered[] {
  const entry = { kind: 'answered', contactId } as const
  // A promise of the same moment includes the bare answer.
  const isBare = acknowledgedAt !== null && acknowledgedAt !== response?.at
  const bare: readonly Answered[] = isBare ? [{ at: acknowledgedAt, ...entry, answer: 'helping' }] : []
  if (response === undefined) return bare
  const { kind: answer, at } = response
  return [...bare, { at, ...entry, answer, ...(response.kind === 'coming' && { etaMinutes: response.etaMinutes }) }]
}

const actionEntry = ({ at, action, actor, details }: AuditRow) => ({
  at,
  kind: 'action' as const,
  // A change of the person or the contacts: which one it was.
  action: action === 'user.change' ? String(details.change) : action.replace(/^incident\./, ''),
  by: actor.name,
  contactId: typeof details.contactId === 'string' ? details.contactId : null,
  ...(typeof details.from === 'string' && { from: details.from }),
})
