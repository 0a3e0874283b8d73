import { type ShownActuator, shownActuators } from '../account/actuator-types.ts'
import { isoAt } from '../ingest/event-time.ts'
import {
  type Channel,
  contactChannels,
  type Delivery,
  type DeliveryStatus,
  type FoldedDeliveries,
  moreAdvanced,
  type Outcome,
  outcomeOf,
  rollup,
} from './delivery.ts'
import type { Downlinks } from './downlink.ts'
import { foldedStatuses } from './folding.ts'
import type { ContactResponse, Incident, IncidentContact } from './incident.ts'

/** protocol.md#snapshot: the one shape that REST and MQTT share. */
export type Snapshot = { readonly snapshotVersion: number; readonly items: readonly SnapshotItem[] }

export type SnapshotItem = {
  readonly id: string
  readonly type: ShownActuator | 'downlink'
  readonly status: DeliveryStatus
  readonly outcome: Outcome
  readonly updatedAt?: string
  readonly contacts?: readonly ContactEntry[]
  readonly deliveries?: readonly DeliveryEntry[]
  /** For `downlink` only: `received`, `coming`. */
  readonly channels?: ContactEntry['channels']
}

type ContactEntry = {
  readonly contactId: string
  readonly name: string
  readonly priority: number
  readonly status: DeliveryStatus
  readonly acknowledgedAt?: string
  readonly response?: {
    readonly kind: ContactResponse['kind']
    readonly etaMinutes?: number
    readonly at: string
  }
  readonly channels: readonly { readonly channel: string; readonly status: DeliveryStatus }[]
}

type DeliveryEntry = {
  /** Of `email` only. */
  readonly contactId?: string
  readonly attempt: number
  readonly status: DeliveryStatus
  readonly provider: string
  readonly error?: string
  readonly updatedAt: string
}

/**
 * The complete actuator snapshot of an incident. protocol.md#snapshot. `items`: its items, if the caller has them
 * already.
 */
export const snapshotOf = (incident: Incident, items = itemsOf(incident)): Snapshot => ({
  snapshotVersion: incident.snapshotVersion,
  items,
})

/** The part of the snapshot whose changes `snapshotVersion` counts. */
export function itemsOf(incident: Incident): readonly SnapshotItem[] {
  const items: SnapshotItem[] = []
  for (const type of shownActuators) {
    const attempts = attemptsOf(incident, type)
    if (attempts.rows.length > 0 || attempts.folded.length > 0) items.push(itemOf(incident, type, attempts))
  }
  return [...items, ...downlinkItems(incident.downlinks?.rows ?? [])]
}

/** The downlink item, absent until there is a message to the tracker. devices.md#downlinks. */
function downlinkItems(rows: Downlinks['rows']): readonly SnapshotItem[] {
  if (rows.length === 0) return []
  const status = rollup(rows.map((row) => row.status))
  const ran = rows.filter((row) => row.status !== 'scheduled').map((row) => row.updatedAt)
  return [
    {
      id: 'downlink',
      type: 'downlink',
      status,
      outcome: outcomeOf(status),
      ...(ran.length > 0 && { updatedAt: isoAt(Math.max(...ran)) }),
      channels: rows.map((row) => ({ channel: row.kind, status: row.status })),
    },
  ]
}

/** The items of the snapshot after a change; null if they did not change. */
export function changedItems(before: Incident, after: Incident): readonly SnapshotItem[] | null {
  if (!mayShowChange(before, after)) return null
  const items = itemsOf(after)
  return !hasRunSince(before, after) && isShownAlike(itemsOf(before), items) ? null : items
}

const mayShowChange = (before: Incident, after: Incident): boolean =>
  before.contacts !== after.contacts ||
  before.folded !== after.folded ||
  before.downlinks !== after.downlinks ||
  before.deliveries.length !== after.deliveries.length ||
  !after.deliveries.every((row, place) => isShownAs(row, before.deliveries[place]!))

/**
 * Whether the snapshot shows both rows the same, such as before and after a claim. The other fields follow from the id.
 */
const isShownAs = (row: Delivery, before: Delivery): boolean =>
  row === before ||
  (row.id === before.id &&
    row.status === before.status &&
    row.updatedAt === before.updatedAt &&
    row.error === before.error)

/** Whether an attempt has run since: then `updatedAt` of its item differs, and the items need not be compared. */
const hasRunSince = (before: Incident, after: Incident): boolean =>
  shownActuators.some((type) => lastRunAt(attemptsOf(before, type)) !== lastRunAt(attemptsOf(after, type)))

/** Single attempts, and a summary of the folded ones. keeping.md#folding. */
type Attempts = { readonly rows: readonly Delivery[]; readonly folded: readonly FoldedDeliveries[] }

const attemptsOf = ({ deliveries, folded }: Incident, type: ShownActuator): Attempts => ({
  rows: deliveries.filter((row) => row.actuator === type && row.purpose === 'alarm'),
  folded: folded.filter((entry) => entry.actuator === type && entry.count > 0),
})

/** When the last of them ran (epoch ms); null if none has. */
function lastRunAt({ rows, folded }: Attempts): number | null {
  const ran = [
    ...rows.filter((row) => row.status !== 'scheduled').map((row) => row.updatedAt),
    ...folded.flatMap(({ lastAt }) => Object.values(lastAt)),
  ]
  return ran.length === 0 ? null : Math.max(...ran)
}

function itemOf(incident: Incident, type: ShownActuator, attempts: Attempts): SnapshotItem {
  const { rows, folded } = attempts
  const status = rollup([...rows.map((row) => row.status), ...folded.flatMap(foldedStatuses)])
  const ranAt = lastRunAt(attempts)
  return {
    id: type,
    type,
    status,
    outcome: outcomeOf(status),
    ...(ranAt !== null && { updatedAt: isoAt(ranAt) }),
    ...(type === 'emergency_contacts'
      ? { contacts: contactEntries(incident.contacts, attempts) }
      : { deliveries: rows.map(deliveryEntry) }),
  }
}

/** The status of each contact by channel, in one pass because an incident may have many contacts and attempts. */
function contactEntries(contacts: readonly IncidentContact[], { rows, folded }: Attempts): readonly ContactEntry[] {
  const reached = new Map<string | null, ChannelStatuses>()
  const add = ({ contactId, channel }: Pick<Delivery, 'contactId' | 'channel'>, status: DeliveryStatus): void => {
    const channels = reached.get(contactId) ?? {}
    channels[channel] = moreAdvanced(channels[channel] ?? 'skipped', status)
    reached.set(contactId, channels)
  }
  for (const row of rows) add(row, row.status)
  for (const entry of folded) for (const status of foldedStatuses(entry)) add(entry, status)
  return contacts.map((contact) => contactEntry(contact, reached.get(contact.contactId) ?? {}))
}

type ChannelStatuses = { [C in Channel]?: DeliveryStatus }

function contactEntry(contact: IncidentContact, statuses: ChannelStatuses): ContactEntry {
  const channels: { channel: Channel; status: DeliveryStatus }[] = []
  for (const channel of contactChannels) {
    const status = statuses[channel]
    if (status !== undefined) channels.push({ channel, status })
  }
  return {
    contactId: contact.contactId,
    name: contact.name,
    priority: contact.priority,
    status: rollup(channels.map(({ status }) => status)),
    ...(contact.acknowledgedAt !== null && { acknowledgedAt: isoAt(contact.acknowledgedAt) }),
    ...(contact.response && { response: responseEntry(contact.response) }),
    channels,
  }
}

const responseEntry = ({ at, round: _, ...answer }: ContactResponse): NonNullable<ContactEntry['response']> => ({
  ...answer,
  at: isoAt(at),
})

const deliveryEntry = (row: Delivery): DeliveryEntry => ({
  ...(row.contactId !== null && { contactId: row.contactId }),
  attempt: row.attempt,
  status: row.status,
  provider: row.actuator,
  ...(row.status === 'failed' && { error: row.error ?? 'provider error' }),
  updatedAt: isoAt(row.updatedAt),
})

/** Most are equal as text, and comparing that takes a fraction of the time. */
const isShownAlike = (one: readonly SnapshotItem[], other: readonly SnapshotItem[]): boolean =>
  JSON.stringify(one) === JSON.stringify(other) || isAlike(one, other)

/** Whether two values are equal as JSON: key order and undefined properties do not matter. */
function isAlike(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  for (const key in one) if (!isAlike((one as Fields)[key], (other as Fields)[key])) return false
  for (const key in other) if ((one as Fields)[key] === undefined && (other as Fields)[key] !== undefined) return false
  return true
}

type Fields = Readonly<Record<string, unknown>>
