import type { Application, ApplicationSecret } from '../../../../core/account/application.ts'
import { CANARY_APP_ID } from '../../../../core/account/canary.ts'
import type { Contact } from '../../../../core/account/contact.ts'
import type { User } from '../../../../core/account/profile.ts'
import type { AdmittingApplication, Page, Readmission, ScopedQuery } from '../../../../ports/store.ts'
import { APPLICATION, contactsInOrder, USER } from '../../shared/accounts.ts'
import { boundsOf, scopedPage, userList } from '../../shared/scoped-page.ts'
import type { SqliteDatabase } from '../engine/database.ts'
import type { Row } from '../engine/row.ts'
import { applicationOf, userOf } from './account-rows.ts'

export function accountReads(db: SqliteDatabase) {
  const application = db.prepare<[string], Row>(`SELECT ${APPLICATION} FROM applications WHERE id = ?`)
  const applications = db.prepare<[], Row>(
    `SELECT ${APPLICATION} FROM applications WHERE id <> '${CANARY_APP_ID}' ORDER BY created_at, id`,
  )
  const secrets = db.prepare<[string], ApplicationSecret>(
    'SELECT id, secret FROM application_secrets WHERE app_id = ? ORDER BY id',
  )
  // CROSS: in this order, by the id of each user.
  const enabled = db
    .prepare<[string, string], string>(
      `SELECT users.id FROM json_each(?) AS asked CROSS JOIN users ON users.id = asked.value
       WHERE users.app_id = ? AND NOT users.disabled`,
    )
    .pluck()
  const appDevices = db
    .prepare<[string, string], string>(
      `SELECT app_devices.id FROM json_each(?) AS asked CROSS JOIN users ON users.id = asked.value
         CROSS JOIN app_devices ON app_devices.user_id = users.id
       WHERE users.app_id = ? AND NOT users.disabled`,
    )
    .pluck()
  const userById = db.prepare<[string], Row>(`SELECT ${USER} FROM users WHERE id = ?`)
  const userByExternalId = db.prepare<[string, string], Row>(
    `SELECT ${USER} FROM users WHERE app_id = ? AND external_user_id = ?`,
  )
  const usersOf = db.prepare<[string], Row>(`SELECT ${USER} FROM users WHERE app_id = ? ORDER BY number`)
  const usersFrom = db.prepare<[string, string | number, string, number], Row>(
    `SELECT ${USER} FROM users WHERE (app_id, external_user_id) > (?, ?) AND app_id <= ? AND app_id <> '${CANARY_APP_ID}'
     ORDER BY app_id, external_user_id LIMIT ?`,
  )
  const contacts = db.prepare<[string], Contact>(contactsInOrder('+?'))
  // From the contacts on: hardly any belongs to another application, but a million users may have none.
  const anyContact = db.prepare<[string], { name: string; externalUserId: string }>(
    `SELECT contacts.name, external_user_id AS externalUserId FROM contacts CROSS JOIN users ON users.id = user_id
     WHERE app_id IN (SELECT value FROM json_each(?)) LIMIT 1`,
  )
  const userOrNull = (row: Row | undefined): User | null => (row === undefined ? null : userOf(row))
  const find = (appId: string): Application | null => {
    const row = application.get(appId)
    return row === undefined ? null : applicationOf(row)
  }

  return {
    admittingApplication(appId: string): AdmittingApplication | null {
      const found = find(appId)
      return found === null ? null : { application: found, secrets: secrets.all(appId) }
    },
    readmission(appId: string, userIds: readonly string[]): Readmission | null {
      const found = find(appId)
      if (found === null || found.disabled) return null
      return {
        legacy: found.legacy,
        secretIds: new Set(secrets.all(appId).map(({ id }) => id)),
        userIds: new Set(enabled.all(JSON.stringify(userIds), appId)),
        appDeviceIds: new Set(appDevices.all(JSON.stringify(userIds), appId)),
      }
    },
    userByExternalId: (appId: string, externalUserId: string) =>
      userOrNull(userByExternalId.get(appId, externalUserId)),
    user: (userId: string) => userOrNull(userById.get(userId)),
    anyContact(appIds: readonly string[]) {
      return anyContact.get(JSON.stringify(appIds)) ?? null
    },
    contacts: (userId: string): readonly Contact[] => contacts.all(userId),
    applications: (): readonly Application[] => applications.all().map(applicationOf),
    application: find,
    userPage(query: ScopedQuery): Promise<Page<User>> {
      const [low, high] = boundsOf(query)
      return scopedPage(userList, query, (after, limit) => {
        const [appId, externalUserId] = after ?? [low, '']
        return usersFrom.all(String(appId), externalUserId!, high, limit).map(userOf)
      })
    },
    users: (appId: string): readonly User[] => usersOf.all(appId).map(userOf),
  }
}
