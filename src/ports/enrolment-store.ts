import type { AppDevice, ListedAppDevice } from '../core/account/app-device.ts'
import type { AppInvitation, Enrolment, InvitedUsers } from '../core/account/app-invitation.ts'
import type { User } from '../core/account/profile.ts'
import type { RemovalText } from '../core/account/removal-text.ts'

/** The device behind a credential, and its user. */
export type AppDeviceLogin = {
  readonly device: Pick<AppDevice, 'id' | 'usedAt'>
  readonly user: User
}

/** A device that was enrolled, and its user. */
type Enrolled = {
  readonly device: AppDevice
  readonly user: User
  readonly invitation: AppInvitation
  /** False: the request was a repeated one. */
  readonly isNew: boolean
}

/** The app in the box: its invitations and the devices that hold credentials. app.md#enrolment. */
export type EnrolmentStore = {
  inviteToApp(
    invitation: AppInvitation,
  ): Promise<{ readonly invited: true } | { readonly refused: 'app_off' | 'invitation_limit' }>
  /** Ends an invitation of the application at `now`. Devices that it has enrolled stay. */
  endAppInvitation(
    appId: string,
    id: string,
    now: number,
  ): Promise<AppInvitation | { readonly refused: 'app_invitation_not_found' }>
  /** The users whom an invitation of the application created; null: there is no such invitation. */
  invitedUsers(appId: string, id: string): Promise<InvitedUsers | null>
  /**
   * Disables or enables at most `USERS_AT_ONCE` users of an invitation: how many it has changed. Whoever has an open
   * alarm stays enabled. Disabling ends the invitation.
   */
  setInvitedDisabled(
    appId: string,
    id: string,
    set: { readonly disabled: boolean; readonly now: number },
  ): Promise<{ readonly changed: number } | { readonly refused: 'app_invitation_not_found' }>
  appInvitation(hash: string): Promise<AppInvitation | null>
  /** The newest of an application, at most `max`. */
  appInvitations(appId: string, max: number): Promise<readonly AppInvitation[]>
  /** Uses a place of an invitation. The same invitation and key never enrol twice. */
  enrol(
    enrolment: Enrolment,
  ): Promise<
    | Enrolled
    | { readonly refused: 'invitation_unknown' | 'app_device_limit' }
    | { readonly refused: 'poster_hour'; readonly retryAfterMs: number }
  >
  /** By the hash of a credential. The caller checks the user. A device counts as long as it is there. */
  appDeviceLogin(hash: string): Promise<AppDeviceLogin | null>
  /** A user's, the latest enrolled first. */
  appDevices(userId: string): Promise<readonly ListedAppDevice[]>
  noteAppDeviceUsed(id: string, now: number): Promise<void>
  /**
   * The device counts until `from` (epoch ms); null takes a removal back. A `from` that is not after `now` removes it,
   * which ends its sessions. An earlier removal that is already set stays. `texts`: kept in the same commit until they
   * have left, unless a removal was set already; at most `MAX_OF_KIND` of a user and kind, `MAX_REMOVAL_TEXTS` in
   * all.
   */
  removeAppDevice(
    userId: string,
    id: string,
    from: number | null,
    now: number,
    texts?: readonly RemovalText[],
  ): Promise<AppDevice | { readonly refused: 'app_device_not_found' }>
  /** When the next removal takes effect (epoch ms); null: none is asked for. */
  nextAppRemoval(): Promise<number | null>
  /** Removes at most `max` devices whose time has come and whose user has no open incident. Their applications. */
  removeDueAppDevices(now: number, max: number): Promise<readonly string[]>
  /**
   * The user is to be erased at `at` (epoch ms); null takes that back. A moment that is set already stays. `texts`: as
   * above.
   */
  setErasesAt(
    userId: string,
    at: number | null,
    texts?: readonly RemovalText[],
  ): Promise<User | { readonly refused: 'user_not_found' }>
  /** At most `max` users who are to be erased by now. */
  dueErasures(now: number, max: number): Promise<readonly User[]>
}
