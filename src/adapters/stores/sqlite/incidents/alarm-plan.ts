import type { Application } from '../../../../core/account/application.ts'
import type { Contact } from '../../../../core/account/contact.ts'
import type { BoardWatch, OnCall } from '../../../../core/account/on-call.ts'
import type { User } from '../../../../core/account/profile.ts'
import type { PlanSettings } from '../../../../core/account/settings.ts'
import type { AlarmPlan } from '../../../../core/incident/alarm-plan.ts'
import { alarmPlanOf, plannedContactOf } from '../../../../core/incident/alarm-plan.ts'
import { APPLICATION, contactsInOrder, USER } from '../../shared/accounts.ts'
import type { SqliteDatabase } from '../engine/database.ts'
import { fromRow, type Row } from '../engine/row.ts'
import { boardWatchLookup, onCallLookup } from '../operators/on-call.ts'

const userOf = fromRow<User>('users')
const applicationOf = fromRow<Application>('applications')

/**
 * Looks up the alarm plan of an owner, with the settings in force: the application's own over `defaults`, which are
 * asked for each time. Null for an unknown user.
 */
export function planLookup(db: SqliteDatabase, defaults: () => PlanSettings): (userId: string) => AlarmPlan | null {
  const users = db.prepare<[string], Row>(`SELECT ${USER} FROM users WHERE id = ?`)
  const applications = db.prepare<[string], Row>(`SELECT ${APPLICATION} FROM applications WHERE id = ?`)
  const contacts = db.prepare<[string], Contact>(contactsInOrder('+?'))
  const [onCall, boardWatch] = [onCallLookup(db), boardWatchLookup(db)]
  return (userId) => {
    const user = users.get(userId)
    const application = user === undefined ? undefined : applications.get(String(user.appId))
    if (user === undefined || application === undefined) return null
    return alarmPlanOf(
      {
        user: userOf(user),
        application: applicationOf(application),
        contacts: contacts.all(userId).map(plannedContactOf),
        ...onCallOf(onCall(), boardWatch),
      },
      defaults(),
    )
  }
}

/** The watch is read only where somebody is on call. */
const onCallOf = (onCall: OnCall | null, boardWatch: () => BoardWatch | null) =>
  onCall === null ? {} : { onCall, boardWatch: boardWatch() }
