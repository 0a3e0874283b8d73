import { type AppDevice, appSecretHash, REMOVAL_MS, removalFrom } from '../../core/account/app-device.ts'
import {
  APP_INVITATION_MS,
  type AppInvitation,
  invitationSecretFrom,
  isVouchedFor,
  joinLink,
} from '../../core/account/app-invitation.ts'
import type { User } from '../../core/account/profile.ts'
import type { Session } from '../../core/account/session.ts'
import { isoAt, isoOrNull } from '../../core/ingest/event-time.ts'
import { entry, OWN_APP } from '../../core/operator/audit.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Ids } from '../../ports/ids.ts'
import type { AccountStore, AuditStore, EnrolmentStore, IncidentStore } from '../../ports/store.ts'
import type { IncidentDoor } from '../incident-door.ts'
import { OwnChanges, takingAway } from './own-changes.ts'
import type { RemovalNews } from './removal-news.ts'

type OwnDeviceNeeds = {
  readonly store: AuditStore &
    Pick<AccountStore, 'user'> &
    Pick<IncidentStore, 'openIncident'> &
    Pick<EnrolmentStore, 'appDevices' | 'removeAppDevice' | 'setErasesAt'>
  readonly door: Pick<IncidentDoor, 'change'>
  readonly clock: Pick<Clock, 'now'>
  readonly ids: Pick<Ids, 'uuid' | 'secret'>
  readonly publicUrl: () => string
  readonly endSessions: (appId: string) => void
  /** Tells the proved number of the person. */
  readonly news: Pick<RemovalNews, 'textsOf' | 'tell'>
}

type NotEnrolled = { readonly refused: 'not_enrolled' }
type NoDevice = { readonly refused: 'app_device_not_found' }

const view = (device: AppDevice, { appDeviceId }: Session) => ({
  id: device.id,
  name: device.name,
  enrolledAt: isoAt(device.enrolledAt),
  lastUsedAt: isoOrNull(device.usedAt),
  isThis: device.id === appDeviceId,
  removedFrom: isoOrNull(device.removedFrom),
})

/** The person as a contact of somebody else; null without a name or a number. */
const proposedBy = (user: User | null): AppInvitation['proposes'] =>
  user?.name == null || user.phone === null ? null : { name: user.name, phone: user.phone }

/**
 * A person's own devices with the app, from one of them. What takes something away for good takes 72 h and can be
 * undone on any of them: the phone may lie unlocked in somebody else's hand. app.md#removing.
 */
export function ownAppDevices({ store, door, clock, ids, publicUrl, endSessions, news }: OwnDeviceNeeds) {
  const by = (change: string, { appId, userId }: Session, subject: string | null) =>
    entry({ at: clock.now(), actor: OWN_APP, action: 'user.change', appId, userId, subject, details: { change } })
  const changes = new OwnChanges()
  const noted = (session: Session, change: string, subject: string | null = null) =>
    takingAway({ store, door, changes, now: clock.now() }, session, { change, subject })

  return {
    async list(session: Session) {
      const [devices, user] = await Promise.all([store.appDevices(session.userId), store.user(session.userId)])
      const own = devices.find(({ id }) => id === session.appDeviceId)
      const now = clock.now()
      return {
        devices: devices.map((one) => ({
          ...view(one, session),
          leavesAtOnce: own !== undefined && removalFrom(one, own, now) <= now,
        })),
        erasesAt: isoOrNull(user?.erasesAt ?? null),
      }
    },

    async remove(session: Session, id: string) {
      const { appId, userId, appDeviceId } = session
      const devices = await store.appDevices(userId)
      const [device, own] = [id, appDeviceId].map((one) => devices.find((found) => found.id === one))
      if (own === undefined) return { refused: 'not_enrolled' } as NotEnrolled
      if (device === undefined) return { refused: 'app_device_not_found' } as NoDevice
      const now = clock.now()
      const from = removalFrom(device, own, now)
      // Asked for once more, it changes nothing.
      const isFirst = device.removedFrom === null
      const noting = isFirst ? await noted(session, 'device_removed', id) : store
      const about = { asked: from <= now ? 'phoneLeft' : 'phoneLeaves', inMs: from - now } as const
      const texts = isFirst ? await news.textsOf(session, about) : []
      const removed = await noting.removeAppDevice(userId, id, from, now, texts)
      if ('refused' in removed) return removed
      if (from <= now) endSessions(appId)
      news.tell(texts)
      return view(removed, session)
    },

    async keep(session: Session, id: string) {
      if (session.appDeviceId === undefined) return { refused: 'not_enrolled' } as NotEnrolled
      const kept = await store
        .audited(by('device_kept', session, id))
        .removeAppDevice(session.userId, id, null, clock.now())
      return 'refused' in kept ? kept : view(kept, session)
    },

    /**
     * An invitation: for a further device (asking for it on this one is the consent), or for a new user, to whom this
     * person is proposed as contact.
     */
    async invite(session: Session, kind: 'device' | 'contact') {
      const { appId, userId, appDeviceId } = session
      if (appDeviceId === undefined) return { refused: 'not_enrolled' } as NotEnrolled
      const now = clock.now()
      const user = kind === 'contact' ? await store.user(userId) : null
      // Otherwise one poster would make any number of users, each with limits of their own.
      if (user !== null && !isVouchedFor(user.enrolledBy)) return { refused: 'not_vouched_for' } as const
      const proposes = proposedBy(user)
      if (kind === 'contact' && proposes === null) return { refused: 'nothing_to_propose' } as const
      const lasts = APP_INVITATION_MS[kind === 'device' ? 'ownDevice' : kind]
      const secret = invitationSecretFrom(ids.secret())
      const invitation: AppInvitation = {
        ...{ id: ids.uuid(), appId, kind, userId, hash: appSecretHash(secret), label: null, proposes },
        ...{
          places: 1,
          used: 0,
          createdBy: OWN_APP.name,
          createdAt: now,
          expiresAt: now + lasts,
        },
        endedAt: null,
      }
      const invited = await store.audited(by(`${kind}_invited`, session, invitation.id)).inviteToApp(invitation)
      if ('refused' in invited) return invited
      return { invitation: secret, link: joinLink(publicUrl(), secret), expiresAt: isoAt(invitation.expiresAt) }
    },

    /** Everything kept of the person is erased after 72 h; `isWanted` false takes that back. */
    async erase(session: Session, isWanted: boolean) {
      if (session.appDeviceId === undefined) return { refused: 'not_enrolled' } as NotEnrolled
      const isFirst = isWanted && (await store.user(session.userId))?.erasesAt === null
      const texts = isFirst ? await news.textsOf(session, { asked: 'erasure', inMs: REMOVAL_MS }) : []
      const noting = isFirst
        ? await noted(session, 'erasure_asked')
        : isWanted
          ? store
          : store.audited(by('erasure_undone', session, null))
      const user = await noting.setErasesAt(session.userId, isWanted ? clock.now() + REMOVAL_MS : null, texts)
      news.tell(texts)
      return 'refused' in user ? user : { erasesAt: isoOrNull(user.erasesAt) }
    },
  }
}
