import { appCredentialOf, appSecretHash } from '../../core/account/app-device.ts'
import { type AppInvitation, canEnrol } from '../../core/account/app-invitation.ts'
import { isoAt } from '../../core/ingest/event-time.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Ids } from '../../ports/ids.ts'
import type { EnrolmentStore } from '../../ports/store.ts'
import type { WebApp, WebApps } from '../../ports/web-apps.ts'

type EnrolmentNeeds = {
  readonly store: Pick<EnrolmentStore, 'appInvitation' | 'enrol'>
  readonly apps: Pick<WebApps, 'find'>
  readonly clock: Pick<Clock, 'now'>
  readonly ids: Pick<Ids, 'uuid' | 'secret'>
}

type Unknown = { readonly refused: 'invitation_unknown' }

/** The content of an invitation, for anyone who has its link. */
type Offered = {
  readonly application: WebApp
  readonly kind: AppInvitation['kind']
  readonly expiresAt: string
  readonly placesLeft: number
  readonly proposedContact: AppInvitation['proposes']
}

/** Characters of the name under which a backend would know the user. */
const EXTERNAL_ID_LENGTH = 16

/**
 * Enrolment of a browser with an invitation. An unknown, used, ended and expired invitation are one refusal.
 * app.md#enrolment.
 */
export const enrolDevice = ({ store, apps, clock, ids }: EnrolmentNeeds) => ({
  application: (appId: string): Promise<WebApp | null> => apps.find(appId),

  async look(secret: string): Promise<Offered | Unknown> {
    const invitation = await store.appInvitation(appSecretHash(secret))
    if (invitation === null || !canEnrol(invitation, clock.now())) return { refused: 'invitation_unknown' }
    const application = await apps.find(invitation.appId)
    if (application === null) return { refused: 'invitation_unknown' }
    const { kind, places, used, expiresAt, proposes } = invitation
    return { application, kind, expiresAt: isoAt(expiresAt), placesLeft: places - used, proposedContact: proposes }
  },

  /** `key`: random, made by the browser; with it a repeated request gets the same enrolment. */
  async enrol({
    invitation,
    key,
    deviceName: name,
  }: {
    readonly invitation: string
    readonly key: string
    readonly deviceName: string
  }) {
    const salt = ids.secret()
    const credential = appCredentialOf(salt, { invitation, key })
    const enrolled = await store.enrol({
      invitationHash: appSecretHash(invitation),
      device: { id: ids.uuid(), name, hash: appSecretHash(credential), keyHash: appSecretHash(key), salt },
      newUser: { id: ids.uuid(), externalUserId: `app-${ids.secret().slice(0, EXTERNAL_ID_LENGTH)}` },
      now: clock.now(),
    })
    if ('refused' in enrolled) return enrolled
    const { device, user } = enrolled
    return {
      appId: user.appId,
      userId: user.externalUserId,
      deviceId: device.id,
      // Of the stored salt: the first request may have made it.
      credential: appCredentialOf(device.salt, { invitation, key }),
      proposedContact: enrolled.invitation.proposes,
    }
  },
})
