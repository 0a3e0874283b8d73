import type { AppDevice } from '../../../core/account/app-device.ts'
import { APP_INVITATION_MS } from '../../../core/account/app-invitation.ts'
import type { AppDeviceLogin } from '../../../ports/store.ts'
import { USER } from './accounts.ts'
import { selected } from './columns.ts'

export const APP_INVITATIONS = `SELECT ${selected('app_invitations')} FROM app_invitations`
export const APP_DEVICES = `SELECT ${selected('app_devices')} FROM app_devices`
/** With `isByOperator`: what the person's own phone invites lasts some minutes. For both databases. */
export const LISTED_DEVICES = `SELECT ${selected('app_devices')}, EXISTS (
    SELECT 1 FROM app_invitations AS invitation WHERE invitation.id = app_devices.invitation_id
      AND invitation.kind = 'device' AND invitation.expires_at - invitation.created_at > ${APP_INVITATION_MS.ownDevice}
  ) AS "isByOperator" FROM app_devices`
/** When an invitation stopped working, or will. For both databases. */
export const PAST = 'coalesce(ended_at, expires_at)'

const DEVICE = ['id', 'used_at'] as const

/** Devices, each with its user. Columns of the device begin with `device`. */
export const LOGINS = `SELECT ${USER}, ${DEVICE.map((column) => `app_devices.${column} AS "device_${column}"`).join(', ')}
  FROM app_devices JOIN users ON users.id = app_devices.user_id`

type LoginRow = AppDeviceLogin['user'] & {
  readonly device_id: string
  readonly device_used_at: number | null
}

/** A row of `LOGINS`. */
export function loginOf({ device_id: id, device_used_at: usedAt, ...user }: LoginRow): AppDeviceLogin {
  return { device: { id, usedAt } satisfies Partial<AppDevice>, user }
}

/** Whether nobody vouches for the user in this table or alias. `isVouchedFor`, for both databases. */
export const isStranger = (users: string): string => `coalesce(${users}.enrolled_by, 'person') <> 'person'`

/**
 * Whether it counts for this user that the user in `others` had a number asked today: not if nobody vouches for them,
 * unless for this one neither. Strangers keep nobody's contact from being asked. For both databases.
 * preparing.md#verification.
 */
export const asksFor = (userId: string): string =>
  `(NOT (${isStranger('others')}) OR (SELECT ${isStranger('asker')} FROM users AS asker WHERE asker.id = ${userId}))`

/**
 * Whether a code that the user in `others` asked for counts against the number for this user. Strangers and users for
 * whom somebody vouches have each their own, and a user who has proved the number once has one as well: nobody uses it
 * up for them. Disabling users frees their shares. For both databases. preparing.md#phone-proof.
 */
export const countsFor = (userId: string, phone: string): string =>
  `CASE WHEN EXISTS (SELECT 1 FROM phone_proofs WHERE phone_proofs.user_id = ${userId} AND phone_proofs.phone = ${phone})
     THEN others.id = ${userId}
     ELSE NOT others.disabled AND (${isStranger('others')}) = (SELECT ${isStranger('asker')} FROM users AS asker WHERE asker.id = ${userId}) END`
