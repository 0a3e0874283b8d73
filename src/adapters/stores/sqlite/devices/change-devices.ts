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
import type { Device } from '../../../../core/account/device.ts'
import type { DeviceStore, HardwareRegistry } from '../../../../ports/store.ts'
import { pairedSql, registeredSql } from '../../shared/dev-eui-sql.ts'
import { DEVICES, HARDWARE } from '../../shared/devices.ts'
import { insertSql, type Row, toRow, updateSql } from '../engine/row.ts'
import { type WriteContext, writesOf } from '../engine/write.ts'
import { removalTextKeeper } from '../removals/removal-texts.ts'
import { ASKED, type AskedDevice, asked } from './asked-device.ts'

function deviceRows({ db }: WriteContext) {
  const hardware = db.prepare<[AskedDevice], TriedHardware>(
    `${HARDWARE} WHERE app_id = +@app AND hardware_id = ${registeredSql(ASKED)}`,
  )
  const countTry = db.prepare<[number, number | null, string, string]>(
    'UPDATE hardware SET tries = ?, locked_until = ? WHERE app_id = ? AND hardware_id = ?',
  )
  const byHardware = db.prepare<[AskedDevice], Device>(`${DEVICES} WHERE id = ${pairedSql('id', ASKED)}`)
  const ofUser = db.prepare<[string], number>('SELECT count(*) FROM devices WHERE user_id = ?').pluck()
  const wrongCodes = db.prepare<[string], string | null>('SELECT wrong_codes FROM users WHERE id = ?').pluck()
  const keepWrongCodes = db.prepare<[string, string]>('UPDATE users SET wrong_codes = ? WHERE id = ?')
  const insert = db.prepare<Row>(insertSql('devices'))
  const update = db.prepare<Row>(updateSql('devices'))
  const rowOf = toRow<Device>('devices')
  const loadHardware = (appId: string, hardwareId: string): TriedHardware | null =>
    hardware.get(asked(appId, hardwareId)) ?? null
  const loadWrongCodes = (userId: string): WrongCodes => ({
    userId,
    times: JSON.parse(wrongCodes.get(userId) ?? '[]'),
  })
  return {
    keepTexts: removalTextKeeper(db),
    loadHardware,
    loadWrongCodes,
    load: ({ appId, hardwareId, userId }: Pairing): PairingSituation => ({
      wrongCodes: loadWrongCodes(userId),
      paired: byHardware.get(asked(appId, hardwareId)) ?? null,
      devices: ofUser.get(userId) ?? 0,
    }),

    save<R>(decided: PairingChanges & { readonly result: R }): R {
      if (decided.tries !== undefined) {
        const { tries, lockedUntil, appId, hardwareId } = decided.tries
        countTry.run(tries, lockedUntil, appId, hardwareId)
      }
      if (decided.wrongCodes !== undefined) {
        keepWrongCodes.run(JSON.stringify(decided.wrongCodes.times), decided.wrongCodes.userId)
      }
      if (decided.insert !== undefined) insert.run(rowOf(decided.insert))
      if (decided.update !== undefined) update.run(rowOf(decided.update))
      return decided.result
    },

    register: db.prepare<[string, string, string, string | null, number]>(
      `INSERT INTO hardware (app_id, hardware_id, code_hash, model, registered_at) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (app_id, hardware_id) DO UPDATE SET
         code_hash = excluded.code_hash, model = coalesce(excluded.model, hardware.model), tries = 0, locked_until = NULL`,
    ),
    remove: db.prepare<[string, string]>('DELETE FROM devices WHERE id = ? AND user_id = ?'),
    removeHardware: db.prepare<[AskedDevice]>(
      `DELETE FROM devices WHERE app_id = +@app AND hardware_id = coalesce(${registeredSql(ASKED)}, @id)`,
    ),
  }
}

/** Pairings, and the operator's hardware registry. */
export const deviceWrites = writesOf<DeviceStore & HardwareRegistry>()(deviceRows, {
  tryCode: {
    moment: (_userId, now) => now,
    sender: (userId) => userId,
    run: ({ loadWrongCodes, save }, userId, now) => save(decideTryCode(loadWrongCodes(userId), now)),
  },

  beginPairing: {
    moment: (_appId, _hardwareId, now) => now,
    sender: (appId, hardwareId) => `${appId}:${hardwareId}`,
    run({ loadHardware, save }, appId, hardwareId, now) {
      const decided = decideBeginPairing(loadHardware(appId, hardwareId), now)
      return 'refused' in decided ? decided : save(decided)
    },
  },

  pair: {
    moment: ({ now }) => now,
    sender: ({ userId }) => userId,
    run: ({ load, save }, pairing) => save(decidePair(load(pairing), pairing)),
  },

  unpair: {
    sender: (userId) => userId,
    run({ remove, keepTexts }, userId, deviceId, texts = []) {
      if (remove.run(deviceId, userId).changes === 0) return { refused: 'device_not_found' }
      keepTexts(texts)
      return { removed: true }
    },
  },

  unpairHardware: {
    run: ({ removeHardware }, appId, hardwareId) =>
      removeHardware.run(asked(appId, hardwareId)).changes === 0 ? { refused: 'not_paired' } : { removed: true },
  },

  registerHardware: {
    moment: (_appId, _list, now) => now,
    run({ loadHardware, register }, appId, list, now) {
      const known = new Map<string, string>()
      for (const { hardwareId } of list) {
        const registeredAs = loadHardware(appId, hardwareId)?.hardwareId
        if (registeredAs !== undefined) known.set(hardwareId, registeredAs)
      }
      for (const { hardwareId, codeHash, model } of decideRegisterHardware(known, list)) {
        register.run(appId, hardwareId, codeHash, model, now)
      }
    },
  },
})
