/** An incident as the service writes it, in events and in answers. protocol.md#events, protocol.md#incident. */
export type IncidentNews = {
  readonly type?: string
  readonly incidentId: string
  readonly status: IncidentStatus
  readonly occurredAt: string
  readonly openedAt: string
  readonly updatedAt: string
  readonly acknowledgedAt: string | null
  readonly cancelledAt: string | null
  readonly resolvedAt: string | null
  readonly silent?: true
  readonly acknowledgedBy?: AcknowledgedBy | null
  readonly snapshotVersion?: number
  readonly actuators?: { readonly snapshotVersion: number; readonly items: readonly ActuatorItem[] }
  readonly lastPosition?: unknown
}

export type IncidentStatus = 'active' | 'acknowledged' | 'cancelled' | 'resolved'

type AcknowledgedBy = {
  readonly kind: 'contact' | 'operator'
  readonly contactId: string | null
  readonly name: string | null
  readonly at: string
}

export type DeliveryStatus = 'scheduled' | 'sent' | 'delivered' | 'failed' | 'skipped'

/** The set of types is open: of an unknown one, only `status` and `outcome` count. */
type ActuatorItem = {
  readonly id: string
  readonly type: string
  readonly status: DeliveryStatus
  readonly outcome: 'success' | 'failure' | 'pending' | 'skipped'
  readonly contacts?: readonly ContactEntry[]
}

type ContactEntry = {
  readonly contactId: string
  readonly name: string
  readonly priority: number
  readonly status: DeliveryStatus
  readonly acknowledgedAt?: string
  readonly response?: {
    readonly kind: 'coming' | 'calling' | 'unable'
    readonly etaMinutes?: number
    readonly at: string
  }
  readonly channels: readonly { readonly channel: string; readonly status: DeliveryStatus }[]
}
