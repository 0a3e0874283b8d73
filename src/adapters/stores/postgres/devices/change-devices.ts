import {
  decideBeginPairing,
  decidePair,
  decideRegisterHardware,
  decideTryCode,
  type Pairing,
  type PairingChanges,
  type PairingSituation,
  type TriedHardware,
  type WrongCodes,
} from '../../../../core/account/decide-pairing.ts'
import type { Device, RegisteredHardware } from '../../../../core/account/device.ts'
import { devEuiOf } from '../../../../core/ingest/device-key.ts'
import type { DeviceStore, HardwareRegistry } from '../../../../ports/store.ts'
import { pairedSql, registeredSql } from '../../shared/dev-eui-sql.ts'
import { DEVICES, HARDWARE } from '../../shared/devices.ts'
import { insertSql, updateSql } from '../engine/row.ts'
import { lockOwner, type Transaction, writesOf } from '../engine/write.ts'
import { keepRemovalTexts } from '../removals/removal-texts.ts'
import { ASKED, asked } from './asked-device.ts'

const TRIED = `${HARDWARE} WHERE app_id = $1 AND hardware_id = ${registeredSql(ASKED)} FOR UPDATE`
const LOCK_HARDWARE = 'SELECT 1 FROM hardware WHERE app_id = $1 AND hardware_id = $2 FOR NO KEY UPDATE'
const COUNT_TRY = 'UPDATE hardware SET tries = $3, locked_until = $4 WHERE app_id = $1 AND hardware_id = $2'
const REGISTER = `INSERT INTO hardware (app_id, hardware_id, code_hash, model, registered_at)
  SELECT $1, "hardwareId", "codeHash", model, $3
  FROM json_to_recordset($2) AS row ("hardwareId" text, "codeHash" text, model text) ORDER BY 2
  ON CONFLICT (app_id, hardware_id) DO UPDATE SET
    code_hash = excluded.code_hash, model = coalesce(excluded.model, hardware.model), tries = 0, locked_until = NULL`
/** Two registrations of one application take turns. Not FOR UPDATE: a new incident would wait for it. */
const IN_TURN = 'SELECT 1 FROM applications WHERE id = $1 FOR NO KEY UPDATE'
/** The registered ones of these hardware ids, each in the spelling registered. */
const SPELLINGS = `SELECT given."hardwareId", ${registeredSql({ app: '$1', id: 'given."hardwareId"', eui: 'given.eui' })}
    AS "registeredAs" FROM json_to_recordset($2) AS given ("hardwareId" text COLLATE "C", eui text COLLATE "C")`
const BY_HARDWARE = `${DEVICES} WHERE id = ${pairedSql('id', ASKED)}`
const COUNT = 'SELECT count(*) AS count FROM devices WHERE user_id = $1'
const INSERT = insertSql('devices')
const UPDATE = updateSql('devices')
const REMOVE = 'DELETE FROM devices WHERE id = $1 AND user_id = $2'
const REMOVE_HARDWARE = `DELETE FROM devices WHERE app_id = $1 AND hardware_id = coalesce(${registeredSql(ASKED)}, $2)`
const WRONG_CODES_OF = 'SELECT wrong_codes AS "wrongCodes" FROM users WHERE id = $1 FOR NO KEY UPDATE'
const KEEP_WRONG_CODES = 'UPDATE users SET wrong_codes = $2 WHERE id = $1'

/** Locks the registration: attempts to pair the same hardware take turns, on all nodes. */
async function loadHardware(
  { connection }: Transaction,
  appId: string,
  hardwareId: string,
): Promise<TriedHardware | null> {
  const [hardware] = await connection.rows<TriedHardware>(TRIED, asked(appId, hardwareId))
  return hardware ?? null
}

/** Locks the user: tries of one user take turns, on all nodes. */
async function loadWrongCodes({ connection }: Transaction, userId: string): Promise<WrongCodes> {
  const [row] = await connection.rows<{ wrongCodes: string | null }>(WRONG_CODES_OF, [userId])
  return { userId, times: JSON.parse(row?.wrongCodes ?? '[]') }
}

/** Locks the registration, then the user. */
async function load(transaction: Transaction, { appId, hardwareId, userId }: Pairing): Promise<PairingSituation> {
  const { connection } = transaction
  await connection.rows(LOCK_HARDWARE, [appId, hardwareId])
  const wrongCodes = await loadWrongCodes(transaction, userId)
  const [[paired], [of]] = await Promise.all([
    connection.rows<Device>(BY_HARDWARE, asked(appId, hardwareId)),
    connection.rows<{ count: number }>(COUNT, [userId]),
  ])
  return { wrongCodes, paired: paired ?? null, devices: of?.count ?? 0 }
}

/**
 * The spelling in which each DevEUI of the list is registered. Locks the application, if there are any; other ids have
 * one spelling.
 */
async function loadSpellings(
  { connection }: Transaction,
  appId: string,
  list: readonly RegisteredHardware[],
): Promise<ReadonlyMap<string, string>> {
  const euis = list.flatMap(({ hardwareId }) => {
    const eui = devEuiOf(hardwareId)
    return eui === null ? [] : [{ hardwareId, eui }]
  })
  if (euis.length === 0) return new Map()
  await connection.run(IN_TURN, [appId])
  type Spelling = { readonly hardwareId: string; readonly registeredAs: string | null }
  const known = await connection.rows<Spelling>(SPELLINGS, [appId, JSON.stringify(euis)])
  return new Map(known.flatMap(({ hardwareId, registeredAs }) => (registeredAs ? [[hardwareId, registeredAs]] : [])))
}

async function save<R>({ connection }: Transaction, decided: PairingChanges & { readonly result: R }): Promise<R> {
  const { tries, wrongCodes, insert, update, result } = decided
  if (tries !== undefined) {
    await connection.run(COUNT_TRY, [tries.appId, tries.hardwareId, tries.tries, tries.lockedUntil])
  }
  if (wrongCodes !== undefined) {
    await connection.run(KEEP_WRONG_CODES, [wrongCodes.userId, JSON.stringify(wrongCodes.times)])
  }
  if (insert !== undefined) await connection.run(INSERT, [JSON.stringify([insert])])
  if (update !== undefined) await connection.run(UPDATE, [JSON.stringify([update])])
  return result
}

/** Pairings, and the operator's hardware registry. */
export const deviceWrites = writesOf<DeviceStore & HardwareRegistry>()({
  tryCode: {
    moment: (_userId, now) => now,
    sender: (userId) => userId,
    run: async (transaction, userId, now) =>
      save(transaction, decideTryCode(await loadWrongCodes(transaction, userId), now)),
  },

  beginPairing: {
    moment: (_appId, _hardwareId, now) => now,
    sender: (appId, hardwareId) => `${appId}:${hardwareId}`,
    async run(transaction, appId, hardwareId, now) {
      const decided = decideBeginPairing(await loadHardware(transaction, appId, hardwareId), now)
      return 'refused' in decided ? decided : save(transaction, decided)
    },
  },

  pair: {
    moment: ({ now }) => now,
    sender: ({ userId }) => userId,
    run: async (transaction, pairing) => save(transaction, decidePair(await load(transaction, pairing), pairing)),
  },

  unpair: {
    sender: (userId) => userId,
    async run(transaction, userId, deviceId, texts = []) {
      await lockOwner(transaction, userId)
      const removed = await transaction.connection.run(REMOVE, [deviceId, userId])
      if (removed === 0) return { refused: 'device_not_found' }
      await keepRemovalTexts(transaction, texts)
      return { removed: true }
    },
  },

  unpairHardware: {
    async run({ connection }, appId, hardwareId) {
      const removed = await connection.run(REMOVE_HARDWARE, asked(appId, hardwareId))
      return removed === 0 ? { refused: 'not_paired' } : { removed: true }
    },
  },

  registerHardware: {
    moment: (_appId, _list, now) => now,
    async run(transaction, appId, list, now) {
      const rows = decideRegisterHardware(await loadSpellings(transaction, appId, list), list)
      await transaction.connection.run(REGISTER, [appId, JSON.stringify(rows), now])
    },
  },
})
