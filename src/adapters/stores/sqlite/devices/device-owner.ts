import { type EnrolledBy, isVouchedFor } from '../../../../core/account/app-invitation.ts'
import type { Reporter } from '../../../../ports/store.ts'
import { pairedSql } from '../../shared/dev-eui-sql.ts'
import type { SqliteDatabase } from '../engine/database.ts'
import { ASKED, type AskedDevice, asked } from './asked-device.ts'

/**
 * `isListed`: the reporter is a listed relay, if it is one at all. `isBarred`: the device belongs to another user, for
 * whom the reporter may not send.
 */
export type Owner = {
  readonly userId: string
  readonly unknownDevice: boolean
  readonly isListed: boolean
  readonly isBarred: boolean
}

type Standing = {
  readonly relays: 'any' | 'listed' | 'off'
  readonly relay: 0 | 1
  readonly enrolledBy: EnrolledBy | null
}
const NOBODY: Standing = { relays: 'off', relay: 0, enrolledBy: null }

/**
 * Finds the owner of a payload: the user in the same application with whom the device is paired, if the reporter may
 * send for them, or else the reporter (rules.md#relays).
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
  const standing = db.prepare<[string], Standing>(
    `SELECT relays, relay, enrolled_by AS enrolledBy FROM users JOIN applications ON applications.id = users.app_id
     WHERE users.id = +?`,
  )
  return ({ appId, userId, deviceId }) => {
    const own = { userId, unknownDevice: false, isListed: false, isBarred: false }
    if (deviceId === null) return own
    const owner = paired.get(appId, deviceId) ?? otherwise(appId, deviceId)
    if (owner === undefined) return { ...own, unknownDevice: true }
    if (owner === userId) return own
    const { relays, relay, enrolledBy } = standing.get(userId) ?? NOBODY
    const isListed = relay === 1
    const isAdmitted = relays !== 'off' && (isListed || (relays === 'any' && isVouchedFor(enrolledBy)))
    return isAdmitted ? { ...own, userId: owner, isListed } : { ...own, unknownDevice: true, isBarred: true }
  }
}
