import type { Contact } from '../../../../core/account/contact.ts'
import type { Settings } from '../../../../core/account/settings.ts'
import { alarmPlanOf, plannedContactOf } from '../../../../core/incident/alarm-plan.ts'
import type { AlarmPlan } from '../../../../core/incident/incident.ts'
import type { SqliteDatabase } from '../engine/database.ts'
import { type ApplicationRow, applicationOf } from './application-row.ts'
import { CONTACTS_IN_ORDER } from './contact-row.ts'
import { type UserRow, userOf } from './user-row.ts'

/**
 * Looks up the alarm plan of an owner, with the settings in force: the application's own over `defaults`. Null for an
 * unknown user.
 */
export function planLookup(db: SqliteDatabase, defaults: Settings): (userId: string) => AlarmPlan | null {
  const users = db.prepare<[string], UserRow>('SELECT * FROM users WHERE id = ?')
  const applications = db.prepare<[string], ApplicationRow>('SELECT * FROM applications WHERE id = ?')
  const contacts = db.prepare<[string], Contact>(CONTACTS_IN_ORDER)
  return (userId) => {
    const user = users.get(userId)
    const application = user === undefined ? undefined : applications.get(user.app_id)
    if (user === undefined || application === undefined) return null
    return alarmPlanOf(
      {
        user: userOf(user),
        application: applicationOf(application),
        contacts: contacts.all(userId).map(plannedContactOf),
      },
      defaults,
    )
  }
}
