import { DAY, HOUR, MINUTE } from '../../lib/durations.ts'
import type { Decided } from '../decided.ts'
import { waitMsOf } from '../pacing/rate-limiter.ts'
import type { AppDevice } from './app-device.ts'
import type { WebAppSettings } from './web-app.ts'

/**
 * `person`: one new user. `poster`: as many new users as it has places. `contact`: one new user, made by somebody who
 * proposes themselves as contact. `device`: a further device of `userId`.
 */
export type InvitationKind = 'person' | 'poster' | 'contact' | 'device'

/** The invitation that created a user; null for the users of a backend. */
export type EnrolledBy = Exclude<InvitationKind, 'device'>

/** Whether a backend or an operator vouches for a person. `enrolledBy`: of the user. */
export const isVouchedFor = (enrolledBy: EnrolledBy | null): boolean => enrolledBy === null || enrolledBy === 'person'

/** The users whom an invitation created. `inAlarm`: those with an open alarm, drills aside. */
export type InvitedUsers = { readonly users: number; readonly enabled: number; readonly inAlarm: number }

/** The app of an application; null while it is switched off or the application is disabled. */
export const appInForce = ({
  disabled,
  webApp,
}: {
  readonly disabled: boolean
  readonly webApp: WebAppSettings | null
}): WebAppSettings | null => (disabled || webApp?.isOn !== true ? null : webApp)

/** Users of an invitation that are disabled or enabled in one transaction. */
export const USERS_AT_ONCE = 500

/** A contact whom an invitation proposes. Nobody is alarmed before the person has added them. */
type ProposedContact = { readonly name: string; readonly phone: string }

/** An invitation to the app. app.md#enrolment. Times are epoch ms. */
export type AppInvitation = {
  readonly id: string
  readonly appId: string
  readonly kind: InvitationKind
  /** The user whom a further device is for, or who proposes themselves; null for `person` and `poster`. */
  readonly userId: string | null
  /** Of the secret in the link, which is not stored. */
  readonly hash: string
  /** For the operators, such as the place where a poster hangs. */
  readonly label: string | null
  readonly proposes: ProposedContact | null
  readonly places: number
  readonly used: number
  /** The name of its author. */
  readonly createdBy: string
  readonly createdAt: number
  readonly expiresAt: number
  readonly endedAt: number | null
}

/** How long an invitation works. `ownDevice`: for a further device, made by the person. limits.md#app. */
export const APP_INVITATION_MS = {
  person: 7 * DAY,
  poster: 365 * DAY,
  contact: 7 * DAY,
  device: DAY,
  ownDevice: 10 * MINUTE,
} as const satisfies Record<InvitationKind | 'ownDevice', number>

/** New users in an hour by one poster. limits.md#app. */
export const POSTER_PER_HOUR = 20

/**
 * New numbers of contacts in a day, of a user for whom nobody vouches: an alarm reaches them whether they have
 * confirmed or not, so anyone before a poster could have any number texted and called. limits.md#app.
 */
export const NAMED_NUMBERS = { times: 6, perMs: DAY } as const

/** Places of one poster. limits.md#app. */
export const MAX_PLACES = 10_000
/** Invitations of one application that work at the same time, and those of one user. limits.md#app. */
export const MAX_INVITATIONS = 500
export const MAX_OWN_INVITATIONS = 5
/** Devices of one user with the app. limits.md#app. */
export const MAX_APP_DEVICES = 10
/** The same invitation and key give the same enrolment for this long. app.md#enrolment. */
export const RETRY_MS = 10 * MINUTE

/** Characters of the secret in a link, each with six random bits. */
const SECRET_LENGTH = 32

/** The secret of an invitation, from at least 192 random bits in base64url. */
export const invitationSecretFrom = (random: string): string => `inv_${random.slice(0, SECRET_LENGTH)}`

/** The link of an invitation. The secret is in the fragment, which browsers send to nobody. */
export const joinLink = (publicUrl: string, secret: string): string =>
  `${publicUrl.replace(/\/$/, '')}/app/join#${secret}`

/** The page that helps a phone to trust the local CA. app.md#a-page-that-phones-trust. */
export const trustAddress = (publicUrl: string): string => `${publicUrl.replace(/\/$/, '')}/trust`

/** Whether an invitation works. One that a fast clock stamped does not. */
export const canEnrol = ({ used, places, createdAt, expiresAt, endedAt }: AppInvitation, now: number): boolean =>
  endedAt === null && used < places && now < expiresAt && now >= createdAt - HOUR

/**
 * `isThere`: the application with its app on, and the user. `inForce`: those of the application that work now. `own`:
 * those of the user that work now or were made in the last 24 h, so that using them up makes no room for more.
 */
export type InvitingSituation = { readonly isThere: boolean; readonly inForce: number; readonly own: number }

/** Stores an invitation. limits.md#app. */
export function decideInvite(
  { isThere, inForce, own }: InvitingSituation,
  invitation: AppInvitation,
): Decided<{ readonly insert: AppInvitation }, { readonly invited: true }, 'app_off' | 'invitation_limit'> {
  if (!isThere) return { refused: 'app_off' }
  const isFull = inForce >= MAX_INVITATIONS || (invitation.userId !== null && own >= MAX_OWN_INVITATIONS)
  return isFull ? { refused: 'invitation_limit' } : { insert: invitation, result: { invited: true } }
}

/** The request of an enrolment: the new device, and the ids of a new user. Times are epoch ms. */
export type Enrolment = {
  readonly invitationHash: string
  readonly device: Pick<AppDevice, 'id' | 'name' | 'hash' | 'keyHash' | 'salt'>
  readonly newUser: { readonly id: string; readonly externalUserId: string }
  readonly now: number
}

/** The facts that decide an enrolment. */
export type EnrolmentSituation = {
  readonly invitation: AppInvitation | null
  /** The device that this invitation and key have enrolled before. */
  readonly before: AppDevice | null
  /** Whether the application, its app and, for a further device, the user are on. */
  readonly isOpen: boolean
  /** The latest enrolments by this invitation, earliest first, at most 20. */
  readonly latest: readonly number[]
  /** Devices of the user of the invitation. */
  readonly devices: number
}

export type EnrolmentChanges = {
  readonly insertUser?: Enrolment['newUser'] & {
    readonly appId: string
    readonly enrolledBy: EnrolledBy
    readonly invitationId: string
    readonly now: number
  }
  readonly insert?: AppDevice
  readonly used?: { readonly invitationId: string; readonly used: number }
}

type EnrolmentRefused =
  | { readonly refused: 'invitation_unknown' | 'app_device_limit' }
  | { readonly refused: 'poster_hour'; readonly retryAfterMs: number }

/**
 * Uses a place of an invitation: a new user with a device, or a further device. A lost answer costs no place: the same
 * key gets the same enrolment again. app.md#enrolment.
 */
export function decideEnrol(
  { invitation, before, isOpen, latest, devices }: EnrolmentSituation,
  { device, newUser, now }: Enrolment,
): EnrolmentRefused | (EnrolmentChanges & { readonly result: { readonly device: AppDevice } }) {
  if (invitation === null || !isOpen) return { refused: 'invitation_unknown' }
  if (before !== null) {
    const isRetry = Math.abs(now - before.enrolledAt) < RETRY_MS
    return isRetry ? { result: { device: before } } : { refused: 'invitation_unknown' }
  }
  if (!canEnrol(invitation, now)) return { refused: 'invitation_unknown' }
  const { id: invitationId, kind, appId, used } = invitation
  if (kind === 'poster') {
    const retryAfterMs = waitMsOf(latest, { times: POSTER_PER_HOUR, perMs: HOUR }, now)
    if (retryAfterMs > 0) return { refused: 'poster_hour', retryAfterMs }
  }
  const taken = { invitationId, used: used + 1 }
  const enrolled = { ...device, invitationId, enrolledAt: now, usedAt: null, removedFrom: null }
  if (kind === 'device') {
    if (invitation.userId === null) return { refused: 'invitation_unknown' }
    if (devices >= MAX_APP_DEVICES) return { refused: 'app_device_limit' }
    const insert = { ...enrolled, userId: invitation.userId }
    return { insert, used: taken, result: { device: insert } }
  }
  const insert = { ...enrolled, userId: newUser.id }
  return {
    insertUser: { ...newUser, appId, enrolledBy: kind, invitationId, now },
    insert,
    used: taken,
    result: { device: insert },
  }
}
