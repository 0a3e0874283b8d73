import { DAY } from '../../lib/durations.ts'
import { type Delivery, type DeliveryStatus, type FoldedDeliveries, isReached } from './delivery.ts'
import { isContactsOrMail, isSameTarget } from './escalation.ts'
import type { Incident } from './incident.ts'

/**
 * Above this many attempts in the record, about 400 bytes each, settled ones are folded even if a receipt may still
 * come.
 */
const MAX_LIVE = 60
/** How far back the snapshot reaches beyond the current round. keeping.md#folding. */
const SHOWN_MS = DAY

/** The incident after folding, and the attempts that move to its timeline. */
export type Folded = { readonly incident: Incident; readonly rows: readonly Delivery[] }

/**
 * Moves settled attempts of earlier rounds and settled news out of the record, so that it stays small however long the
 * incident lasts. One entry per contact and channel keeps what the snapshot and the all-clear need. keeping.md#folding.
 */
export function withFolded(incident: Incident): Folded {
  const ready = new Set(
    incident.deliveries.filter((row) => isSettled(row) && isPast(row, incident) && !awaitsReceipt(row)),
  )
  const over = incident.deliveries.length - ready.size - MAX_LIVE
  if (over > 0) for (const row of oldestSettled(incident, ready).slice(0, over)) ready.add(row)
  if (ready.size === 0) return { incident, rows: [] }
  return {
    incident: {
      ...incident,
      deliveries: incident.deliveries.filter((row) => !ready.has(row)),
      folded: [...ready].reduce(withRow, incident.folded),
    },
    rows: [...ready],
  }
}

/**
 * `incident` with a folded attempt restored, so that a late receipt finds it. The end of the decision folds it again.
 */
export function withUnfolded(incident: Incident, row: Delivery): Incident {
  const isOf = (entry: FoldedDeliveries): boolean => row.purpose === 'alarm' && isSameTarget(entry, row)
  return {
    ...incident,
    deliveries: [...incident.deliveries, row],
    folded: incident.folded.map((entry) => (isOf(entry) ? withoutRow(entry, row) : entry)),
  }
}

/** Removes a status that only this row contributed: a text now known to have failed must not keep showing as sent. */
function withoutRow(entry: FoldedDeliveries, { status, updatedAt }: Delivery): FoldedDeliveries {
  const { [status]: at, ...others } = entry.lastAt
  return { ...entry, count: entry.count - 1, lastAt: at === updatedAt ? others : entry.lastAt }
}

/** Drops the statuses that the snapshot no longer shows. */
export const withoutOld = (folded: readonly FoldedDeliveries[], now: number): readonly FoldedDeliveries[] =>
  folded.map((entry) => ({
    ...entry,
    lastAt: Object.fromEntries(Object.entries(entry.lastAt).filter(([, at]) => at >= now - SHOWN_MS)),
  }))

/** The statuses that an entry adds to the rollup of its channel. */
export const foldedStatuses = ({ lastAt }: FoldedDeliveries): readonly DeliveryStatus[] =>
  Object.keys(lastAt) as DeliveryStatus[]

/**
 * Attempts that are never folded: chat and webhook ones are few, and the snapshot lists them one by one; all-clears
 * show which targets still lack one.
 */
const isKept = (row: Delivery): boolean =>
  row.purpose === 'all_clear' || (row.purpose === 'alarm' && !isContactsOrMail(row))

const isSettled = (row: Delivery): boolean => row.status !== 'scheduled' && !isKept(row)

const isPast = (row: Delivery, { cascade }: Incident): boolean => row.purpose !== 'alarm' || row.round < cascade.round

const awaitsReceipt = ({ status, askAt = null }: Delivery): boolean => status === 'sent' && askAt !== null

const oldestSettled = (incident: Incident, ready: ReadonlySet<Delivery>): readonly Delivery[] =>
  incident.deliveries
    .filter((row) => isSettled(row) && !ready.has(row))
    .toSorted((a, b) => Number(!isPast(a, incident)) - Number(!isPast(b, incident)))

function withRow(folded: readonly FoldedDeliveries[], row: Delivery): readonly FoldedDeliveries[] {
  const { actuator, channel, contactId } = row
  const known = folded.find((entry) => isSameTarget(entry, row))
  const entry = known ?? { actuator, channel, contactId, count: 0, lastAt: {}, told: false }
  const isShown = row.purpose === 'alarm'
  const changed: FoldedDeliveries = {
    ...entry,
    count: entry.count + (isShown ? 1 : 0),
    lastAt: isShown
      ? { ...entry.lastAt, [row.status]: Math.max(entry.lastAt[row.status] ?? 0, row.updatedAt) }
      : entry.lastAt,
    told: entry.told || isReached(row),
    ...((entry.mayHaveArrived || row.mayHaveArrived) &&
      row.purpose !== 'all_clear' && { mayHaveArrived: true as const }),
  }
  return known === undefined ? [...folded, changed] : folded.map((other) => (other === known ? changed : other))
}
