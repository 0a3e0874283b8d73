import type { FieldState } from '../../../../core/field/field-state.ts'
import type { FieldDevice, FieldStore } from '../../../../ports/store.ts'
import { devEuiSql } from '../../shared/dev-eui-sql.ts'
import { PAIRED_DEVICES } from '../../shared/devices.ts'
import type { SqliteDatabase } from '../engine/database.ts'
import { type WriteContext, writesOf } from '../engine/write.ts'

type Row = Omit<FieldDevice, 'state'> & { readonly state: string | null }

const fieldDeviceOf = (row: Row | undefined): FieldDevice | null =>
  row === undefined ? null : { ...row, state: row.state === null ? null : JSON.parse(row.state) }

export function fieldReads(db: SqliteDatabase) {
  const byToken = db.prepare<[string], Row>(
    `${PAIRED_DEVICES} WHERE devices.id = (SELECT device_id FROM device_tokens WHERE hash = +?)`,
  )
  const byEui = db.prepare<[string, string], Row>(
    `${PAIRED_DEVICES} WHERE devices.app_id = +? AND ${devEuiSql('devices.hardware_id')} = +?
     ORDER BY devices.paired_at DESC, devices.id LIMIT 1`,
  )
  const statesOf = db
    .prepare<[string], string>(
      'SELECT state FROM devices JOIN device_states ON device_states.device_id = devices.id WHERE user_id = +?',
    )
    .pluck()
  return {
    fieldStates: (userId: string): readonly FieldState[] => statesOf.all(userId).map((state) => JSON.parse(state)),
    deviceByToken: (hash: string): FieldDevice | null => fieldDeviceOf(byToken.get(hash)),
    deviceByEui: (appId: string, devEui: string): FieldDevice | null => fieldDeviceOf(byEui.get(appId, devEui)),
  }
}

const fieldRows = ({ db }: WriteContext) => ({
  keep: db.prepare<[number, string, string]>(
    `INSERT INTO device_states (device_id, heard_at, state) SELECT id, ?, ? FROM devices WHERE id = ?
     ON CONFLICT (device_id) DO UPDATE SET heard_at = excluded.heard_at, state = excluded.state`,
  ),
  isPaired: db.prepare<[string], number>('SELECT 1 FROM devices WHERE id = ?').pluck(),
  forget: db.prepare<[string]>('DELETE FROM device_tokens WHERE device_id = ?'),
  add: db.prepare<[string, string, number]>('INSERT INTO device_tokens (device_id, hash, created_at) VALUES (?, ?, ?)'),
})

export const fieldWrites = writesOf<FieldStore>()(fieldRows, {
  keepFieldState: {
    lane: 'bulk',
    // Else a restart would find the flag set, and hold the next press. Once per tracker: then it is clear on disk.
    reserve: (_deviceId, _state, isCleared) => (isCleared ? 'releases' : undefined),
    moment: (_deviceId, { heardAt }) => heardAt,
    sender: (deviceId) => deviceId,
    run({ keep }, deviceId, state) {
      keep.run(state.heardAt, JSON.stringify(state), deviceId)
    },
  },

  setDeviceToken: {
    moment: (_deviceId, _hash, now) => now,
    run({ isPaired, forget, add }, deviceId, hash, now) {
      if (isPaired.get(deviceId) === undefined) return { refused: 'not_paired' }
      forget.run(deviceId)
      if (hash !== null) add.run(deviceId, hash, now)
      return { set: true }
    },
  },
})
