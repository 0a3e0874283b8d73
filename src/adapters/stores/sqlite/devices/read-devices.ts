import type { Device } from '../../../../core/account/device.ts'
import type { HardwareRow, ScopedQuery, UserFeedback } from '../../../../ports/store.ts'
import { boundsOf, feedbackList, hardwareListOf, scopedPage } from '../../shared/scoped-page.ts'
import type { SqliteDatabase } from '../engine/database.ts'
import { type DeviceRow, deviceOf } from './device-row.ts'

const HARDWARE = `hardware.hardware_id AS hardwareId, hardware.model, users.id AS userId,
    users.external_user_id AS externalUserId, devices.paired_at AS pairedAt, hardware.locked_until AS lockedUntil,
    hardware.silent_after_minutes AS silentAfterMinutes, device_hearings.silent_since AS silentSince
  FROM hardware
    LEFT JOIN devices ON devices.app_id = hardware.app_id AND devices.hardware_id = hardware.hardware_id
    LEFT JOIN users ON users.id = devices.user_id
    LEFT JOIN device_hearings ON device_hearings.device_id = devices.id`
const FEEDBACK = `SELECT feedback.id, users.app_id AS appId, feedback.user_id AS userId,
    users.external_user_id AS externalUserId, message, category, rating, feedback.created_at AS createdAt
  FROM feedback JOIN users ON users.id = feedback.user_id`

export function deviceReads(db: SqliteDatabase) {
  const ofUser = db.prepare<[string], DeviceRow>('SELECT * FROM devices WHERE user_id = ? ORDER BY paired_at, id')
  const registered = db.prepare<[string], HardwareRow>(
    `SELECT ${HARDWARE} WHERE hardware.app_id = ? ORDER BY hardware.hardware_id`,
  )
  const hardware = db.prepare<[string, string], HardwareRow>(
    `SELECT ${HARDWARE} WHERE hardware.app_id = ? AND hardware.hardware_id = ?`,
  )
  const hardwareFrom = db.prepare<[string, string | number, string, number], HardwareRow & { readonly appId: string }>(
    `SELECT hardware.app_id AS appId, ${HARDWARE}
     WHERE (hardware.app_id, hardware.hardware_id) > (?, ?) AND hardware.app_id <= ?
     ORDER BY hardware.app_id, hardware.hardware_id LIMIT ?`,
  )
  const feedback = db.prepare<[], UserFeedback>(`${FEEDBACK} ORDER BY feedback.created_at, feedback.id`)
  const feedbackBefore = db.prepare<[string | number, string | number, number], UserFeedback>(
    `${FEEDBACK} WHERE (feedback.created_at, feedback.id) < (?, ?)
     ORDER BY feedback.created_at DESC, feedback.id DESC LIMIT ?`,
  )
  return {
    devices: (userId: string): readonly Device[] => ofUser.all(userId).map(deviceOf),
    feedback: () => feedback.all(),
    hardware: (appId: string, hardwareId: string): HardwareRow | null => hardware.get(appId, hardwareId) ?? null,
    hardwarePage(query: ScopedQuery & { readonly onlySilent?: boolean }) {
      const [low, high] = boundsOf(query)
      return scopedPage(hardwareListOf(query), query, (after, limit) => {
        const [appId, hardwareId] = after ?? [low, '']
        return hardwareFrom.all(String(appId), hardwareId!, high, limit)
      })
    },
    feedbackPage: (query: ScopedQuery) =>
      scopedPage(feedbackList, query, (after, limit) => {
        const [at, id] = after ?? [Number.MAX_SAFE_INTEGER, '']
        return feedbackBefore.all(at!, id!, limit)
      }),
    registeredHardware: (appId: string): readonly HardwareRow[] => registered.all(appId),
  }
}
