import type { FieldState } from '../../../../core/field/field-state.ts'
import type { FieldDevice, FieldStore } from '../../../../ports/store.ts'
import { devEuiSql } from '../../shared/dev-eui-sql.ts'
import { PAIRED_DEVICES } from '../../shared/devices.ts'
import type { ReadsOf } from '../../shared/writes.ts'
import type { Reader } from '../engine/reader.ts'
import { writesOf } from '../engine/write.ts'

const BY_TOKEN = `${PAIRED_DEVICES} WHERE devices.id = (SELECT device_id FROM device_tokens WHERE hash = $1)`
const BY_EUI = `${PAIRED_DEVICES} WHERE devices.app_id = $1 AND ${devEuiSql('devices.hardware_id')} = $2
  ORDER BY devices.paired_at DESC, devices.id LIMIT 1`

const KEEP = `INSERT INTO device_states (device_id, heard_at, state) SELECT id, $2, $3 FROM devices WHERE id = $1
  ON CONFLICT (device_id) DO UPDATE SET heard_at = excluded.heard_at, state = excluded.state`
/** Locks the pairing: two tokens for one device take turns. */
const IS_PAIRED = 'SELECT id FROM devices WHERE id = $1 FOR UPDATE'
const FORGET = 'DELETE FROM device_tokens WHERE device_id = $1'
const ADD = 'INSERT INTO device_tokens (device_id, hash, created_at) VALUES ($1, $2, $3)'

const STATES = `SELECT state FROM devices JOIN device_states ON device_states.device_id = devices.id
  WHERE user_id = $1`

export const fieldReads = ({ row, rows }: Reader): ReadsOf<FieldStore> => ({
  fieldStates: async (userId) => (await rows<{ state: FieldState }>(STATES, [userId])).map(({ state }) => state),
  deviceByToken: (hash) => row<FieldDevice>(BY_TOKEN, [hash]),
  deviceByEui: (appId, devEui) => row<FieldDevice>(BY_EUI, [appId, devEui]),
})

export const fieldWrites = writesOf<FieldStore>()({
  keepFieldState: {
    moment: (_deviceId, { heardAt }) => heardAt,
    sender: (deviceId) => deviceId,
    async run({ connection }, deviceId, state) {
      await connection.run(KEEP, [deviceId, state.heardAt, JSON.stringify(state)])
    },
  },

  setDeviceToken: {
    moment: (_deviceId, _hash, now) => now,
    async run({ connection }, deviceId, hash, now) {
      const [paired] = await connection.rows(IS_PAIRED, [deviceId])
      if (paired === undefined) return { refused: 'not_paired' }
      await connection.run(FORGET, [deviceId])
      if (hash !== null) await connection.run(ADD, [deviceId, hash, now])
      return { set: true }
    },
  },
})
