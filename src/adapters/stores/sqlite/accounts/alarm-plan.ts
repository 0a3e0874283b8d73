import { fallbackEntry } from '../../../../core/incident/fallback-entry.ts'
import type { AlarmPlan } from '../../../../core/incident/incident.ts'
import type { Settings } from '../../../../core/incident/settings.ts'
import type { SqliteDatabase } from '../engine/database.ts'
import { type ApplicationRow, applicationOf } from './application-row.ts'
import { CONTACTS_IN_ORDER, type ContactRow, plannedContactOf } from './contact-row.ts'
import type { UserRow } from './user-row.ts'

/**
 * Looks up the alarm plan of an owner, with the settings in force: the application's own over `defaults`. Null for an
 * unknown user.
 */
export function planLookup(db: SqliteDatabase, defaults: Settings): (userId: string) => AlarmPlan | null {
  const users = db.prepare<[string], UserRow>('SELECT * FROM users WHERE id = ?')
  const applications = db.prepare<[string], ApplicationRow>('SELECT * FROM applications WHERE id = ?')
  const contacts = db.prepare<[string], ContactRow>(CONTACTS_IN_ORDER)
  return (userId) => {
    const user = users.get(userId)
    const application = user === undefined ? undefined : applications.get(user.app_id)
    if (user === undefined || application === undefined) return null
    const { id, legacy, settings, actuators, fallbackContact, language } = applicationOf(application)
    const own = contacts.all(userId).map(plannedContactOf)
    return {
      appId: id,
      userId,
      externalUserId: user.external_user_id,
      legacy,
      settings: { ...defaults, ...settings },
      actuators,
      contacts:
        fallbackContact === null ? own : [...own, fallbackEntry(id, fallbackContact, { language, place: own.length })],
    }
  }
}
