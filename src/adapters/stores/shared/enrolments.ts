import type { AppDevice } from '../../../core/account/app-device.ts'
import type { AppDeviceLogin } from '../../../ports/store.ts'
import { USER } from './accounts.ts'
import { selected } from './columns.ts'

export const APP_INVITATIONS = `SELECT ${selected('app_invitations')} FROM app_invitations`
export const APP_DEVICES = `SELECT ${selected('app_devices')} FROM app_devices`
/** When an invitation stopped working, or will. For both databases. */
export const PAST = 'coalesce(ended_at, expires_at)'

const DEVICE = ['id', 'used_at'] as const

/** Devices, each with its user. Columns of the device begin with `device`. */
export const LOGINS = `SELECT ${USER}, ${DEVICE.map((column) => `app_devices.${column} AS "device_${column}"`).join(', ')}
  FROM app_devices JOIN users ON users.id = app_devices.user_id`

type LoginRow<U> = U & {
  readonly device_id: string
  readonly device_used_at: number | null
}

/** A row of `LOGINS`. */
export function loginOf<U extends AppDeviceLogin['user']>(row: LoginRow<U>): AppDeviceLogin {
  const { device_id: id, device_used_at: usedAt, ...user } = row
  return { device: { id, usedAt } satisfies Partial<AppDevice>, user: user as unknown as U }
}
