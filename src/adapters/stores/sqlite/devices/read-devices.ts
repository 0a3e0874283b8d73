import type { Device } from '../../../../core/account/device.ts'
import type { Feedback, HardwareRow } from '../../../../ports/device-store.ts'
import type { SqliteDatabase } from '../engine/database.ts'
import { type DeviceRow, deviceOf } from './device-row.ts'

export function deviceReads(db: SqliteDatabase) {
  const ofUser = db.prepare<[string], DeviceRow>('SELECT * FROM devices WHERE user_id = ? ORDER BY paired_at, id')
  const registered = db.prepare<[string], HardwareRow>(
    `SELECT hardware.hardware_id AS hardwareId, hardware.model, users.external_user_id AS externalUserId,
       devices.paired_at AS pairedAt, hardware.locked_until AS lockedUntil
     FROM hardware
       LEFT JOIN devices ON devices.app_id = hardware.app_id AND devices.hardware_id = hardware.hardware_id
       LEFT JOIN users ON users.id = devices.user_id
     WHERE hardware.app_id = ? ORDER BY hardware.hardware_id`,
  )
  const feedback = db.prepare<[], Feedback & { readonly appId: string; readonly externalUserId: string }>(
    `SELECT feedback.id, users.app_id AS appId, feedback.user_id AS userId, users.external_user_id AS externalUserId,
       message, category, rating, feedback.created_at AS createdAt
     FROM feedback JOIN users ON users.id = feedback.user_id ORDER BY feedback.created_at, feedback.id`,
  )
  return {
    devices: (userId: string): readonly Device[] => ofUser.all(userId).map(deviceOf),
    feedback: () => feedback.all(),
    registeredHardware: (appId: string): readonly HardwareRow[] => registered.all(appId),
  }
}
