import type { IncidentView } from './event.ts'
import { isoAt } from './event-time.ts'
import type { IncidentContact } from './incident.ts'
import type { User } from './profile.ts'

/** Why somebody's HTTP endpoint is called. `sos.closed` is the all-clear. Decisions 4. */
export type WebhookType = 'sos.opened' | 'sos.closed' | 'sos.test'

type Addressee = Pick<IncidentContact, 'contactId' | 'name' | 'phone' | 'email' | 'language'>

/** The body of webhook and contact `http` calls. Decisions 4. */
export type WebhookBody = {
  readonly type: WebhookType
  readonly timestamp: string
  readonly data: {
    readonly incident: IncidentView
    readonly user: Pick<User, 'id' | 'externalUserId' | 'name' | 'phone'>
    readonly contact?: { readonly id: string } & Omit<Addressee, 'contactId'>
    readonly trackingUrl?: string
  }
}

/** `now`: epoch ms of this very call. `contact` and `trackingUrl` only where one contact's own gateway is called. */
export function webhookBody(occasion: {
  readonly type: WebhookType
  readonly now: number
  readonly incident: IncidentView
  readonly user: User
  readonly contact?: Addressee
  readonly trackingUrl?: string
}): WebhookBody {
  const { type, now, incident, contact, trackingUrl } = occasion
  const { id, externalUserId, name, phone } = occasion.user
  return {
    type,
    timestamp: isoAt(now),
    data: {
      incident,
      user: { id, externalUserId, name, phone },
      ...(contact !== undefined && { contact: contactIn(contact) }),
      ...(trackingUrl !== undefined && { trackingUrl }),
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
