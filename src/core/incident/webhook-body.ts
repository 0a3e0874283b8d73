import type { User } from '../account/profile.ts'
import { isoAt } from '../ingest/event-time.ts'
import type { AcknowledgedBy } from './acknowledged-by.ts'
import { type IncidentView, overdueView } from './event.ts'
import type { IncidentContact, Overdue } from './incident.ts'

/** The occasion of an HTTP call. `sos.closed` is the all-clear. rules.md#webhooks. */
export type WebhookType =
  | 'sos.opened'
  | 'sos.reopened'
  | 'sos.acknowledged'
  | 'sos.unanswered'
  | 'sos.closed'
  | 'sos.test'

/**
 * The occasions for a drill, named apart so that a receiver that knows only real alarms does not take it for one.
 * preparing.md#drills.
 */
type DrillType = `drill.${'opened' | 'reopened' | 'acknowledged' | 'unanswered' | 'closed' | 'test'}`

/**
 * The reason. `sos.closed`: the party that ended it, `automatic` for the system. `sos.opened`: `overdue` if a timer ran
 * out. `sos.reopened`: the person pressed again, a timer ran out, the helper fell silent, or the last helper withdrew.
 */
export type WebhookReason =
  | 'automatic'
  | 'user'
  | 'operator'
  | 'contact'
  | 'pressed_again'
  | 'overdue'
  | 'helper_silent'
  | 'helper_withdrew'

type Addressee = Pick<IncidentContact, 'contactId' | 'name' | 'phone' | 'email' | 'language'>

/** The body of webhook and contact `http` calls. protocol.md#webhook. */
export type WebhookBody = {
  readonly type: WebhookType | DrillType
  readonly timestamp: string
  /** Repeated in `data`, where receivers look for details of an event. */
  readonly reason?: WebhookReason
  /** Only for a drill. */
  readonly drill?: true
  readonly data: {
    readonly incident: IncidentView
    readonly user: Pick<User, 'id' | 'externalUserId' | 'name' | 'phone'>
    readonly contact?: { readonly id: string } & Omit<Addressee, 'contactId'>
    readonly trackingUrl?: string
    readonly reason?: WebhookReason
    /** Only other users of the service have raised it so far, through this tracker. rules.md#relays. */
    readonly raisedThrough?: { readonly deviceId: string }
    /** With the reason `overdue`. */
    readonly overdue?: NonNullable<IncidentView['overdue']>
    /** The last answer, with its name: the application sees everything. */
    readonly acknowledgedBy?: AcknowledgedBy
  }
}

/**
 * Builds the body. `now`: epoch ms of this call. `contact` and `trackingUrl`: only for a call to one contact's gateway.
 */
export function webhookBody(occasion: {
  readonly type: WebhookType
  readonly now: number
  readonly incident: IncidentView
  readonly user: User
  readonly contact?: Addressee
  readonly trackingUrl?: string
  readonly reason?: WebhookReason
  readonly overdue?: Overdue
  readonly acknowledgedBy?: AcknowledgedBy
  readonly raisedThrough?: string | undefined
}): WebhookBody {
  const { type, now, incident, contact, trackingUrl, reason, overdue, acknowledgedBy, raisedThrough } = occasion
  const { id, externalUserId, name, phone } = occasion.user
  const isDrill = incident.drill === true
  return {
    type: isDrill ? (type.replace('sos.', 'drill.') as DrillType) : type,
    timestamp: isoAt(now),
    ...(reason !== undefined && { reason }),
    ...(isDrill && { drill: true as const }),
    data: {
      incident,
      user: { id, externalUserId, name, phone },
      ...(contact !== undefined && { contact: contactIn(contact) }),
      ...(trackingUrl !== undefined && { trackingUrl }),
      ...(reason !== undefined && { reason }),
      ...(raisedThrough !== undefined && { raisedThrough: { deviceId: raisedThrough } }),
      ...(overdue !== undefined && { overdue: overdueView(overdue) }),
      ...(acknowledgedBy !== undefined && { acknowledgedBy }),
    },
  }
}

const contactIn = ({ contactId, name, phone, email, language }: Addressee) => ({
  id: contactId,
  name,
  phone,
  email,
  language,
})
