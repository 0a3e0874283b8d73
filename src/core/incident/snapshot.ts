import { type ActuatorType, actuatorTypes } from '../account/actuator-types.ts'
import { isoAt } from '../ingest/event-time.ts'
import {
  contactChannels,
  type Delivery,
  type DeliveryStatus,
  type FoldedDeliveries,
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
  readonly type: ActuatorType | 'downlink'
  readonly status: DeliveryStatus
  readonly outcome: Outcome
  readonly updatedAt?: string
  readonly contacts?: readonly ContactEntry[]
  readonly deliveries?: readonly DeliveryEntry[]
  /** Of `downlink` only: `received`, `coming`. */
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
  readonly attempt: number
  readonly status: DeliveryStatus
  readonly provider: string
  readonly error?: string
  readonly updatedAt: string
}

/** The complete actuator snapshot of an incident. protocol.md#snapshot. */
export const snapshotOf = (incident: Incident): Snapshot => ({
  snapshotVersion: incident.snapshotVersion,
  items: itemsOf(incident),
})

/** The part of the snapshot whose changes `snapshotVersion` counts. */
export function itemsOf(incident: Incident): readonly SnapshotItem[] {
  const alarms = incident.deliveries.filter((delivery) => delivery.purpose === 'alarm')
  const items = actuatorTypes.flatMap((type) => {
    const rows = alarms.filter((delivery) => delivery.actuator === type)
    const folded = incident.folded.filter((entry) => entry.actuator === type && entry.count > 0)
    return rows.length === 0 && folded.length === 0 ? [] : [itemOf(incident, type, { rows, folded })]
  })
  return [...items, ...downlinkItems(incident.downlinks?.rows ?? [])]
}

/** Absent until there is a message to the tracker. rules.md#downlinks. */
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

/** Single attempts, and a summary of the folded ones. rules.md#folding. */
type Attempts = { readonly rows: readonly Delivery[]; readonly folded: readonly FoldedDeliveries[] }

function itemOf(incident: Incident, type: ActuatorType, attempts: Attempts): SnapshotItem {
  const { rows, folded } = attempts
  const status = statusOf(attempts)
  const ran = [
    ...rows.filter((row) => row.status !== 'scheduled').map((row) => row.updatedAt),
    ...folded.flatMap(({ lastAt }) => Object.values(lastAt)),
  ]
  return {
    id: type,
    type,
    status,
    outcome: outcomeOf(status),
    ...(ran.length > 0 && { updatedAt: isoAt(Math.max(...ran)) }),
    ...(type === 'emergency_contacts'
      ? { contacts: incident.contacts.map((contact) => contactEntry(contact, attempts)) }
      : { deliveries: rows.map(deliveryEntry) }),
  }
}

function contactEntry(contact: IncidentContact, attempts: Attempts): ContactEntry {
  const own = matching(attempts, (target) => target.contactId === contact.contactId)
  return {
    contactId: contact.contactId,
    name: contact.name,
    priority: contact.priority,
    status: statusOf(own),
    ...(contact.acknowledgedAt !== null && { acknowledgedAt: isoAt(contact.acknowledgedAt) }),
    ...(contact.response && { response: responseEntry(contact.response) }),
    channels: contactChannels.flatMap((channel) => {
      const { rows, folded } = matching(own, (target) => target.channel === channel)
      const hasRun = rows.length > 0 || folded.some((entry) => foldedStatuses(entry).length > 0)
      return hasRun ? [{ channel, status: statusOf({ rows, folded }) }] : []
    }),
  }
}

const responseEntry = ({ at, round: _, ...answer }: ContactResponse): NonNullable<ContactEntry['response']> => ({
  ...answer,
  at: isoAt(at),
})

const deliveryEntry = (row: Delivery): DeliveryEntry => ({
  attempt: row.attempt,
  status: row.status,
  provider: row.actuator,
  ...(row.status === 'failed' && { error: row.error ?? 'provider error' }),
  updatedAt: isoAt(row.updatedAt),
})

const matching = (
  { rows, folded }: Attempts,
  matches: (target: Pick<Delivery, 'channel' | 'contactId'>) => boolean,
): Attempts => ({ rows: rows.filter(matches), folded: folded.filter(matches) })

const statusOf = ({ rows, folded }: Attempts): DeliveryStatus =>
  rollup([...rows.map((row) => row.status), ...folded.flatMap(foldedStatuses)])
