import type { Device } from '../../../../core/account/device.ts'
import type { HardwareDetail, HardwareRow, ScopedQuery, UserFeedback } from '../../../../ports/store.ts'
import { ALIKE, registeredSql } from '../../shared/dev-eui-sql.ts'
import { DEVICES } from '../../shared/devices.ts'
import { boundsOf, feedbackList, hardwareListOf, scopedPage } from '../../shared/scoped-page.ts'
import type { SqliteDatabase } from '../engine/database.ts'
import { ASKED, type AskedDevice, asked } from './asked-device.ts'

const COLUMNS = `hardware.hardware_id AS hardwareId, hardware.model, users.id AS userId,
    users.external_user_id AS externalUserId, devices.paired_at AS pairedAt, hardware.locked_until AS lockedUntil,
    hardware.silent_after_minutes AS silentAfterMinutes, device_hearings.silent_since AS silentSince`
const FROM = `FROM hardware
    LEFT JOIN devices ON devices.app_id = hardware.app_id AND devices.hardware_id = hardware.hardware_id
    LEFT JOIN users ON users.id = devices.user_id
    LEFT JOIN device_hearings ON device_hearings.device_id = devices.id`
const HARDWARE = `${COLUMNS} ${FROM}`
const DETAIL = `SELECT ${COLUMNS}, hardware.app_id AS appId, devices.id AS deviceId,
    applications.disabled OR coalesce(users.disabled, 0) AS disabled,
    applications.silent_after_minutes AS applicationSilentAfterMinutes,
    nullif(max(coalesce(device_hearings.heard_at, 0), coalesce(device_states.heard_at, 0)), 0) AS heardAt,
    device_tokens.created_at AS tokenMadeAt, device_states.state
  ${FROM}
    JOIN applications ON applications.id = hardware.app_id
    LEFT JOIN device_tokens ON device_tokens.device_id = devices.id
    LEFT JOIN device_states ON device_states.device_id = devices.id`
const ONE = `WHERE hardware.app_id = +@app AND hardware.hardware_id = ${registeredSql(ASKED)}`
const FEEDBACK = `SELECT feedback.id, users.app_id AS appId, feedback.user_id AS userId,
    users.external_user_id AS externalUserId, message, category, rating, feedback.created_at AS createdAt
  FROM feedback JOIN users ON users.id = feedback.user_id`

type DetailRow = Omit<HardwareDetail, 'disabled' | 'state'> & {
  readonly disabled: 0 | 1
  readonly state: string | null
}

export function deviceReads(db: SqliteDatabase) {
  const ofUser = db.prepare<[string], Device>(`${DEVICES} WHERE user_id = ? ORDER BY paired_at, id`)
  const registered = db.prepare<[string], HardwareRow>(
    `SELECT ${HARDWARE} WHERE hardware.app_id = ? ORDER BY hardware.hardware_id`,
  )
  const hardware = db.prepare<[AskedDevice], HardwareRow>(`SELECT ${HARDWARE} ${ONE}`)
  const detail = db.prepare<[AskedDevice], DetailRow>(`${DETAIL} ${ONE}`)
  const hardwareFrom = db.prepare<[string, string | number, string, number], HardwareRow & { readonly appId: string }>(
    `SELECT hardware.app_id AS appId, ${HARDWARE}
     WHERE (hardware.app_id, hardware.hardware_id) > (?, ?) AND hardware.app_id <= ?
     ORDER BY hardware.app_id, hardware.hardware_id LIMIT ?`,
  )
  const alike = db.prepare<[], { readonly appId: string; readonly hardwareId: string }>(
    `SELECT app_id AS appId, hardware_id AS hardwareId ${ALIKE}`,
  )
  const feedback = db.prepare<[], UserFeedback>(`${FEEDBACK} ORDER BY feedback.created_at, feedback.id`)
  const feedbackBefore = db.prepare<[string | number, string | number, number], UserFeedback>(
    `${FEEDBACK} WHERE (feedback.created_at, feedback.id) < (?, ?)
     ORDER BY feedback.created_at DESC, feedback.id DESC LIMIT ?`,
  )
  return {
    devices: (userId: string): readonly Device[] => ofUser.all(userId),
    feedback: () => feedback.all(),
    hardware: (appId: string, hardwareId: string): HardwareRow | null => hardware.get(asked(appId, hardwareId)) ?? null,
    hardwareDetail(appId: string, hardwareId: string): HardwareDetail | null {
      const row = detail.get(asked(appId, hardwareId))
      if (row === undefined) return null
      return { ...row, disabled: row.disabled === 1, state: row.state === null ? null : JSON.parse(row.state) }
    },
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
    alikeHardware: () => alike.all(),
    registeredHardware: (appId: string): readonly HardwareRow[] => registered.all(appId),
  }
}
