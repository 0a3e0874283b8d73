import { type Device, nextTry, type PairingTries, type RegisteredHardware } from '../../../../core/account/device.ts'
import { afterWrongCode, WRONG_CODES, withoutTry } from '../../../../core/account/pairing-limit.ts'
import { devEuiOf, deviceKeyOf } from '../../../../core/field/lorawan/dev-eui.ts'
import type { DeviceStore, HardwareRegistry } from '../../../../ports/store.ts'
import { type GivenDevice, pairedSql, registeredSql } from '../../shared/dev-eui-sql.ts'
import type { Connection } from '../engine/connection.ts'
import { lockOwner, writesOf } from '../engine/write.ts'
import { DEVICE } from './columns.ts'

type HardwareRow = PairingTries & RegisteredHardware

/** Parameters of every statement that looks a device up: application, hardware id, and the DevEUI that it spells. */
const GIVEN: GivenDevice = { app: '$1', id: '$2', eui: '$3' }
const given = (appId: string, hardwareId: string) => [appId, hardwareId, devEuiOf(hardwareId)]

/** Locks the registration: attempts to pair the same hardware take turns, on all nodes. */
const HARDWARE = `SELECT hardware_id AS "hardwareId", code_hash AS "codeHash", model, tries,
    locked_until AS "lockedUntil"
  FROM hardware WHERE app_id = $1 AND hardware_id = ${registeredSql(GIVEN)} FOR UPDATE`
const COUNT_TRY = 'UPDATE hardware SET tries = $3, locked_until = $4 WHERE app_id = $1 AND hardware_id = $2'
const REGISTER = `INSERT INTO hardware (app_id, hardware_id, code_hash, model, registered_at)
  SELECT $1, "hardwareId", "codeHash", model, $3
  FROM json_to_recordset($2) AS row ("hardwareId" text, "codeHash" text, model text) ORDER BY 2
  ON CONFLICT (app_id, hardware_id) DO UPDATE SET
    code_hash = excluded.code_hash, model = coalesce(excluded.model, hardware.model), tries = 0, locked_until = NULL`
/** Two registrations of one application take turns. Not FOR UPDATE: a new incident would wait for it. */
const IN_TURN = 'SELECT 1 FROM applications WHERE id = $1 FOR NO KEY UPDATE'
/** Which of these hardware ids are registered, and in which spelling. */
const SPELLINGS = `SELECT given."hardwareId", ${registeredSql({ app: '$1', id: 'given."hardwareId"', eui: 'given.eui' })}
    AS "registeredAs" FROM json_to_recordset($2) AS given ("hardwareId" text COLLATE "C", eui text COLLATE "C")`
const BY_HARDWARE = `SELECT ${DEVICE} FROM devices WHERE id = ${pairedSql('id', GIVEN)}`
const REMOVE = `DELETE FROM devices WHERE app_id = $1 AND hardware_id = coalesce(${registeredSql(GIVEN)}, $2)`
const COUNT = 'SELECT count(*) AS count FROM devices WHERE user_id = $1'
const INSERT = `INSERT INTO devices
    (id, app_id, hardware_id, user_id, firmware_version, hardware_model, paired_at, created_at, updated_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $7, $7) RETURNING ${DEVICE}`
const UPDATE = `UPDATE devices SET firmware_version = coalesce($2, firmware_version),
    hardware_model = coalesce($3, hardware_model), paired_at = $4, updated_at = $4
  WHERE id = $1 RETURNING ${DEVICE}`

/** Locks the user: tries of one user take turns, on all nodes. */
const WRONG_CODES_OF = 'SELECT wrong_codes AS "wrongCodes" FROM users WHERE id = $1 FOR NO KEY UPDATE'
const KEEP_WRONG_CODES = 'UPDATE users SET wrong_codes = $2 WHERE id = $1'

async function wrongCodesOf(connection: Connection, userId: string): Promise<readonly number[]> {
  const [row] = await connection.rows<{ wrongCodes: string | null }>(WRONG_CODES_OF, [userId])
  return JSON.parse(row?.wrongCodes ?? '[]')
}

/** In place of each DevEUI the spelling in which it is registered, or in which this list has it first. */
async function asRegistered(
  connection: Connection,
  appId: string,
  list: readonly RegisteredHardware[],
): Promise<readonly RegisteredHardware[]> {
  const euis = list.flatMap(({ hardwareId }) => {
    const eui = devEuiOf(hardwareId)
    return eui === null ? [] : [{ hardwareId, eui }]
  })
  if (euis.length === 0) return list
  await connection.run(IN_TURN, [appId])
  type Spelling = { readonly hardwareId: string; readonly registeredAs: string | null }
  const known = await connection.rows<Spelling>(SPELLINGS, [appId, JSON.stringify(euis)])
  const byId = new Map(known.map(({ hardwareId, registeredAs }) => [hardwareId, registeredAs]))
  const first = new Map<string, string>()
  return list.map((hardware) => {
    const key = deviceKeyOf(hardware.hardwareId)
    const hardwareId = byId.get(hardware.hardwareId) ?? first.get(key) ?? hardware.hardwareId
    first.set(key, hardwareId)
    return { ...hardware, hardwareId }
  })
}

/** Pairings, and the operator's hardware registry. */
export const deviceWrites = writesOf<DeviceStore & HardwareRegistry>()({
  tryCode: {
    moment: (_userId, now) => now,
    sender: (userId) => userId,
    async run({ connection }, userId, now) {
      const counted = afterWrongCode(await wrongCodesOf(connection, userId), WRONG_CODES.ofUser, now)
      if ('retryAfterMs' in counted) return counted.retryAfterMs
      await connection.run(KEEP_WRONG_CODES, [userId, JSON.stringify(counted.times)])
      return null
    },
  },

  beginPairing: {
    moment: (_appId, _hardwareId, now) => now,
    sender: (appId, hardwareId) => `${appId}:${hardwareId}`,
    async run({ connection }, appId, hardwareId, now) {
      const [row] = await connection.rows<HardwareRow>(HARDWARE, given(appId, hardwareId))
      if (row === undefined) return { refused: 'unknown_hardware' }
      const { codeHash, model, ...tries } = row
      const next = nextTry(tries, now)
      if (next === null) return { refused: 'locked' }
      await connection.run(COUNT_TRY, [appId, row.hardwareId, next.tries, next.lockedUntil])
      return { registered: { hardwareId: row.hardwareId, codeHash, model } }
    },
  },

  pair: {
    moment: ({ now }) => now,
    sender: ({ userId }) => userId,
    async run(transaction, { id, appId, hardwareId, userId, firmwareVersion, hardwareModel, now, limit, triedAt }) {
      const { connection } = transaction
      await connection.run(COUNT_TRY, [appId, hardwareId, 0, null])
      await lockOwner(transaction, userId)
      if (triedAt !== undefined) {
        const left = withoutTry(await wrongCodesOf(connection, userId), triedAt)
        await connection.run(KEEP_WRONG_CODES, [userId, JSON.stringify(left)])
      }
      const [known] = await connection.rows<Device>(BY_HARDWARE, given(appId, hardwareId))
      if (known === undefined) {
        const [of] = await connection.rows<{ count: number }>(COUNT, [userId])
        if ((of?.count ?? 0) >= limit) return { refused: 'device_limit' }
        const row = [id, appId, hardwareId, userId, firmwareVersion, hardwareModel, now]
        const [device] = await connection.rows<Device>(INSERT, row)
        return { device: device!, created: true }
      }
      if (known.userId !== userId) return { refused: 'paired_to_another' }
      const [device] = await connection.rows<Device>(UPDATE, [known.id, firmwareVersion, hardwareModel, now])
      return { device: device!, created: false }
    },
  },

  unpair: {
    sender: (userId) => userId,
    async run({ connection }, userId, deviceId) {
      const removed = await connection.run('DELETE FROM devices WHERE id = $1 AND user_id = $2', [deviceId, userId])
      return removed === 0 ? { refused: 'device_not_found' } : { removed: true }
    },
  },

  unpairHardware: {
    async run({ connection }, appId, hardwareId) {
      const removed = await connection.run(REMOVE, given(appId, hardwareId))
      return removed === 0 ? { refused: 'not_paired' } : { removed: true }
    },
  },

  registerHardware: {
    moment: (_appId, _list, now) => now,
    async run({ connection }, appId, list, now) {
      // A statement may change a row only once; of two entries the later counts.
      const byId = new Map(
        (await asRegistered(connection, appId, list)).map((hardware) => [hardware.hardwareId, hardware]),
      )
      await connection.run(REGISTER, [appId, JSON.stringify([...byId.values()]), now])
    },
  },
})
