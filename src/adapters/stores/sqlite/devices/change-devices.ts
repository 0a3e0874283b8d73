import { type Device, nextTry } from '../../../../core/account/device.ts'
import { afterWrongCode, WRONG_CODES, withoutTry } from '../../../../core/account/pairing-limit.ts'
import type { DeviceStore, HardwareRegistry } from '../../../../ports/store.ts'
import { pairedSql, registeredSql } from '../../shared/dev-eui-sql.ts'
import { type WriteContext, writesOf } from '../engine/write.ts'
import { ASKED, type AskedDevice, asked } from './asked-device.ts'
import { type DeviceRow, deviceOf } from './device-row.ts'

type HardwareRow = {
  readonly hardware_id: string
  readonly code_hash: string
  readonly model: string | null
  readonly tries: number
  readonly locked_until: number | null
}

function deviceRows({ db }: WriteContext) {
  const hardware = db.prepare<[AskedDevice], HardwareRow>(
    `SELECT hardware_id, code_hash, model, tries, locked_until FROM hardware
     WHERE app_id = +@app AND hardware_id = ${registeredSql(ASKED)}`,
  )
  const countTry = db.prepare<[number, number | null, string, string]>(
    'UPDATE hardware SET tries = ?, locked_until = ? WHERE app_id = ? AND hardware_id = ?',
  )
  const register = db.prepare<[string, string, string, string | null, number]>(
    `INSERT INTO hardware (app_id, hardware_id, code_hash, model, registered_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (app_id, hardware_id) DO UPDATE SET
       code_hash = excluded.code_hash, model = coalesce(excluded.model, hardware.model), tries = 0, locked_until = NULL`,
  )
  const byHardware = db.prepare<[AskedDevice], DeviceRow>(`SELECT * FROM devices WHERE id = ${pairedSql('id', ASKED)}`)
  const ofUser = db.prepare<[string], number>('SELECT count(*) FROM devices WHERE user_id = ?').pluck()
  const insert = db.prepare<{ [column: string]: string | number | null }>(
    `INSERT INTO devices
       (id, app_id, hardware_id, user_id, firmware_version, hardware_model, paired_at, created_at, updated_at)
     VALUES (@id, @appId, @hardwareId, @userId, @firmwareVersion, @hardwareModel, @now, @now, @now)`,
  )
  const update = db.prepare<[string | null, string | null, number, number, string]>(
    `UPDATE devices SET firmware_version = coalesce(?, firmware_version), hardware_model = coalesce(?, hardware_model),
       paired_at = ?, updated_at = ? WHERE id = ?`,
  )
  const remove = db.prepare<[string, string]>('DELETE FROM devices WHERE id = ? AND user_id = ?')
  const removeHardware = db.prepare<[AskedDevice]>(
    `DELETE FROM devices WHERE app_id = +@app AND hardware_id = coalesce(${registeredSql(ASKED)}, @id)`,
  )
  const paired = (appId: string, hardwareId: string): Device => {
    const row = byHardware.get(asked(appId, hardwareId))
    if (row === undefined) throw new Error('a device that was just written is missing')
    return deviceOf(row)
  }

  const wrongCodes = db.prepare<[string], string | null>('SELECT wrong_codes FROM users WHERE id = ?').pluck()
  const keepWrongCodes = db.prepare<[string, string]>('UPDATE users SET wrong_codes = ? WHERE id = ?')
  const wrongCodesOf = (userId: string): readonly number[] => JSON.parse(wrongCodes.get(userId) ?? '[]')
  const setWrongCodes = (userId: string, times: readonly number[]): void => {
    keepWrongCodes.run(JSON.stringify(times), userId)
  }

  return {
    wrongCodesOf,
    setWrongCodes,
    hardware,
    countTry,
    register,
    byHardware,
    ofUser,
    insert,
    update,
    remove,
    removeHardware,
    paired,
  }
}

/** Pairings, and the operator's hardware registry. */
export const deviceWrites = writesOf<DeviceStore & HardwareRegistry>()(deviceRows, {
  tryCode: {
    moment: (_userId, now) => now,
    sender: (userId) => userId,
    run({ wrongCodesOf, setWrongCodes }, userId, now) {
      const counted = afterWrongCode(wrongCodesOf(userId), WRONG_CODES.ofUser, now)
      if ('retryAfterMs' in counted) return counted.retryAfterMs
      setWrongCodes(userId, counted.times)
      return null
    },
  },

  beginPairing: {
    moment: (_appId, _hardwareId, now) => now,
    sender: (appId, hardwareId) => `${appId}:${hardwareId}`,
    run({ hardware, countTry }, appId, hardwareId, now) {
      const row = hardware.get(asked(appId, hardwareId))
      if (row === undefined) return { refused: 'unknown_hardware' }
      const next = nextTry({ tries: row.tries, lockedUntil: row.locked_until }, now)
      if (next === null) return { refused: 'locked' }
      countTry.run(next.tries, next.lockedUntil, appId, row.hardware_id)
      return { registered: { hardwareId: row.hardware_id, codeHash: row.code_hash, model: row.model } }
    },
  },

  pair: {
    moment: ({ now }) => now,
    sender: ({ userId }) => userId,
    run({ countTry, byHardware, ofUser, insert, update, paired, wrongCodesOf, setWrongCodes }, pairing) {
      const { appId, hardwareId, userId, firmwareVersion, hardwareModel, now, limit, triedAt } = pairing
      if (triedAt !== undefined) setWrongCodes(userId, withoutTry(wrongCodesOf(userId), triedAt))
      countTry.run(0, null, appId, hardwareId)
      const known = byHardware.get(asked(appId, hardwareId))
      if (known === undefined) {
        if ((ofUser.get(userId) ?? 0) >= limit) return { refused: 'device_limit' }
        const { limit: _bound, triedAt: _tried, ...columns } = pairing
        insert.run(columns)
        return { device: paired(appId, hardwareId), created: true }
      }
      if (known.user_id !== userId) return { refused: 'paired_to_another' }
      update.run(firmwareVersion, hardwareModel, now, now, known.id)
      return { device: paired(appId, hardwareId), created: false }
    },
  },

  unpair: {
    sender: (userId) => userId,
    run: ({ remove }, userId, deviceId) =>
      remove.run(deviceId, userId).changes === 0 ? { refused: 'device_not_found' } : { removed: true },
  },

  unpairHardware: {
    run: ({ removeHardware }, appId, hardwareId) =>
      removeHardware.run(asked(appId, hardwareId)).changes === 0 ? { refused: 'not_paired' } : { removed: true },
  },

  registerHardware: {
    moment: (_appId, _list, now) => now,
    run({ register, hardware }, appId, list, now) {
      for (const { hardwareId, codeHash, model } of list) {
        const registeredAs = hardware.get(asked(appId, hardwareId))?.hardware_id
        register.run(appId, registeredAs ?? hardwareId, codeHash, model, now)
      }
    },
  },
})
