import type { Reporter } from '../../../../ports/store.ts'
import type { SqliteDatabase } from '../engine/database.ts'

export type Owner = { readonly userId: string; readonly unknownDevice: boolean }

/**
 * Finds the owner of a payload: the user in the same application with whom the device is paired, or else the reporter
 * (rules.md#relays).
 */
export function ownerLookup(db: SqliteDatabase): (reporter: Reporter) => Owner {
  const paired = db.prepare<[string, string], string>(
    'SELECT user_id FROM devices WHERE app_id = ? AND hardware_id = ?',
  )
  paired.pluck()
  return ({ appId, userId, deviceId }) => {
    if (deviceId === null) return { userId, unknownDevice: false }
    const owner = paired.get(appId, deviceId)
    return owner === undefined ? { userId, unknownDevice: true } : { userId: owner, unknownDevice: false }
  }
}
