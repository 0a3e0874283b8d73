import type { Reporter } from '../../../../ports/store.ts'
import { pairedSql } from '../../shared/dev-eui-sql.ts'
import type { SqliteDatabase } from '../engine/database.ts'
import { ASKED, type AskedDevice, asked } from './asked-device.ts'

export type Owner = { readonly userId: string; readonly unknownDevice: boolean }

/**
 * Finds the owner of a payload: the user in the same application with whom the device is paired, or else the reporter
 * (rules.md#relays).
 */
export function ownerLookup(db: SqliteDatabase): (reporter: Reporter) => Owner {
  const paired = db
    .prepare<[string, string], string>('SELECT user_id FROM devices WHERE app_id = ? AND hardware_id = ?')
    .pluck()
  const spelled = db.prepare<[AskedDevice], string | null>(`SELECT ${pairedSql('user_id', ASKED)}`).pluck()
  /** Most payloads name a device as it was registered, or name no DevEUI. */
  const otherwise = (appId: string, deviceId: string): string | undefined => {
    const device = asked(appId, deviceId)
    return device.eui === null ? undefined : (spelled.get(device) ?? undefined)
  }
  return ({ appId, userId, deviceId }) => {
    if (deviceId === null) return { userId, unknownDevice: false }
    const owner = paired.get(appId, deviceId) ?? otherwise(appId, deviceId)
    return owner === undefined ? { userId, unknownDevice: true } : { userId: owner, unknownDevice: false }
  }
}
