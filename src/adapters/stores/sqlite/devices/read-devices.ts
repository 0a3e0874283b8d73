import type { Device } from '../../../../core/account/device.ts'
import type { HardwareDetail, HardwareRow, ScopedQuery, UserFeedback } from '../../../../ports/store.ts'
import { ALIKE, registeredSql } from '../../shared/dev-eui-sql.ts'
import { DEVICES, FEEDBACK, HARDWARE_OF_APPS, HARDWARE_ROWS, hardwareDetailSql } from '../../shared/devices.ts'
import { boundsOf, feedbackList, hardwareListOf, scopedPage } from '../../shared/scoped-page.ts'
import type { SqliteDatabase } from '../engine/database.ts'
import { ASKED, type AskedDevice, asked } from './asked-device.ts'

const DETAIL = hardwareDetailSql(
  'nullif(max(coalesce(device_hearings.heard_at, 0), coalesce(device_states.heard_at, 0)), 0)',
)
const ONE = `WHERE hardware.app_id = +@app AND hardware.hardware_id = ${registeredSql(ASKED)}`

type DetailRow = Omit<HardwareDetail, 'disabled' | 'state'> & {
  readonly disabled: 0 | 1
  readonly state: string | null
}

export function deviceReads(db: SqliteDatabase) {
  const ofUser = db.prepare<[string], Device>(`${DEVICES} WHERE user_id = ? ORDER BY paired_at, id`)
  const registered = db.prepare<[string], HardwareRow>(
    `${HARDWARE_ROWS} WHERE hardware.app_id = ? ORDER BY hardware.hardware_id`,
  )
  const hardware = db.prepare<[AskedDevice], HardwareRow>(`${HARDWARE_ROWS} ${ONE}`)
  const detail = db.prepare<[AskedDevice], DetailRow>(`${DETAIL} ${ONE}`)
  const hardwareFrom = db.prepare<[string, string | number, string, number], HardwareRow & { readonly appId: string }>(
    `${HARDWARE_OF_APPS}
     WHERE (hardware.app_id, hardware.hardware_id) > (?, ?) AND hardware.app_id <= ?
     ORDER BY hardware.app_id, hardware.hardware_id LIMIT ?`,
  )
  const alike = db.prepare<[], { readonly appId: string; readonly hardwareId: string }>(
    `SELECT app_id AS appId, hardware_id AS hardwareId ${ALIKE}`,
  )
  const models = db.prepare<[{ appIds: string | null }], { readonly model: string; readonly trackers: number }>(
    `SELECT model, count(*) AS trackers FROM (
       SELECT model FROM hardware
       WHERE model IS NOT NULL AND (@appIds IS NULL OR app_id IN (SELECT value FROM json_each(@appIds))) LIMIT 20000
     ) GROUP BY model ORDER BY trackers DESC, model LIMIT 200`,
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
    hardwareModels: (appIds: readonly string[] | null) =>
      models.all({ appIds: appIds === null ? null : JSON.stringify(appIds) }),
    registeredHardware: (appId: string): readonly HardwareRow[] => registered.all(appId),
  }
}
