import { type ActuatorType, actuatorTypes } from './actuator.ts'
import { contactChannels, type Delivery, type DeliveryStatus, type Outcome, outcomeOf, rollup } from './delivery.ts'
import { isoAt } from './event-time.ts'
import type { Incident, IncidentContact } from './incident.ts'

/** Spec, Actuator snapshot: the one shape that REST and MQTT share. */
export type Snapshot = { readonly snapshotVersion: number; readonly items: readonly SnapshotItem[] }

export type SnapshotItem = {
  readonly id: string
  readonly type: ActuatorType
  readonly status: DeliveryStatus
  readonly outcome: Outcome
  readonly updatedAt?: string
  readonly contacts?: readonly ContactEntry[]
  readonly deliveries?: readonly DeliveryEntry[]
}

export type ContactEntry = {
  readonly contactId: string
  readonly name: string
  readonly priority: number
  readonly status: DeliveryStatus
  readonly acknowledgedAt?: string
  readonly channels: readonly { readonly channel: string; readonly status: DeliveryStatus }[]
}

export type DeliveryEntry = {
  readonly attempt: number
  readonly status: DeliveryStatus
  readonly provider: string
  readonly error?: string
  readonly updatedAt: string
}

/** The actuator snapshot of an incident, complete in itself. Spec, Actuator snapshot. */
export const snapshotOf = (incident: Incident): Snapshot => ({
  snapshotVersion: incident.snapshotVersion,
  items: itemsOf(incident),
})

/** What `snapshotVersion` counts the changes of. */
export function itemsOf(incident: Incident): readonly SnapshotItem[] {
  const alarms = incident.deliveries.filter((delivery) => delivery.purpose === 'alarm')
  return actuatorTypes.flatMap((type) => {
    const rows = alarms.filter((delivery) => delivery.actuator === type)
    return rows.length === 0 ? [] : [itemOf(incident, type, rows)]
  })
}

function itemOf(incident: Incident, type: ActuatorType, rows: readonly Delivery[]): SnapshotItem {
  const status = statusOf(rows)
  const ran = rows.filter((row) => row.status !== 'scheduled').map((row) => row.updatedAt)
  return {
    id: type,
    type,
    status,
    outcome: outcomeOf(status),
    ...(ran.length > 0 && { updatedAt: isoAt(Math.max(...ran)) }),
    ...(type === 'emergency_contacts'
      ? { contacts: incident.contacts.map((contact) => contactEntry(contact, rows)) }
      : { deliveries: rows.map(deliveryEntry) }),
  }
}

function contactEntry(contact: IncidentContact, rows: readonly Delivery[]): ContactEntry {
  const own = rows.filter((row) => row.contactId === contact.contactId)
  return {
    contactId: contact.contactId,
    name: contact.name,
    priority: contact.priority,
    status: statusOf(own),
    ...(contact.acknowledgedAt !== null && { acknowledgedAt: isoAt(contact.acknowledgedAt) }),
    channels: contactChannels.flatMap((channel) => {
      const attempts = own.filter((row) => row.channel === channel)
      return attempts.length === 0 ? [] : [{ channel, status: statusOf(attempts) }]
    }),
  }
}

const deliveryEntry = (row: Delivery): DeliveryEntry => ({
  attempt: row.attempt,
  status: row.status,
  provider: row.actuator,
  ...(row.status === 'failed' && { error: row.error ?? 'provider error' }),
  updatedAt: isoAt(row.updatedAt),
})

const statusOf = (rows: readonly Delivery[]): DeliveryStatus => rollup(rows.map((row) => row.status))
