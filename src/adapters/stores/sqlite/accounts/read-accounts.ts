import type { Application, ApplicationSecret } from '../../../../core/account/application.ts'
import type { Contact } from '../../../../core/account/contact.ts'
import type { User } from '../../../../core/account/profile.ts'
import type { AdmittingApplication } from '../../../../ports/store.ts'
import type { SqliteDatabase } from '../engine/database.ts'
import { type ApplicationRow, applicationOf } from './application-row.ts'
import { CONTACTS_IN_ORDER, type ContactRow, contactOf } from './contact-row.ts'
import { type UserRow, userOf } from './user-row.ts'

export function accountReads(db: SqliteDatabase) {
  const application = db.prepare<[string], ApplicationRow>('SELECT * FROM applications WHERE id = ?')
  const applications = db.prepare<[], ApplicationRow>('SELECT * FROM applications ORDER BY created_at, id')
  const secrets = db.prepare<[string], ApplicationSecret>(
    'SELECT id, secret FROM application_secrets WHERE app_id = ? ORDER BY id',
  )
  const admits = db
    .prepare<[string, string, number], number>(
      `SELECT 1 FROM users JOIN applications ON applications.id = users.app_id
       WHERE applications.id = ? AND NOT applications.disabled AND users.id = ? AND NOT users.disabled
         AND EXISTS (SELECT 1 FROM application_secrets WHERE id = ? AND app_id = applications.id)`,
    )
    .pluck()
  const userById = db.prepare<[string], UserRow>('SELECT * FROM users WHERE id = ?')
  const userByExternalId = db.prepare<[string, string], UserRow>(
    'SELECT * FROM users WHERE app_id = ? AND external_user_id = ?',
  )
  const usersOf = db.prepare<[string], UserRow>('SELECT * FROM users WHERE app_id = ? ORDER BY number')
  const contacts = db.prepare<[string], ContactRow>(CONTACTS_IN_ORDER)
  const userOrNull = (row: UserRow | undefined): User | null => (row === undefined ? null : userOf(row))
  const find = (appId: string): Application | null => {
    const row = application.get(appId)
    return row === undefined ? null : applicationOf(row)
  }

  return {
    admittingApplication(appId: string): AdmittingApplication | null {
      const found = find(appId)
      return found === null ? null : { application: found, secrets: secrets.all(appId) }
    },
    stillAdmits: ({ appId, userId, secretId }: { appId: string; userId: string; secretId: number }): boolean =>
      admits.get(appId, userId, secretId) !== undefined,
    userByExternalId: (appId: string, externalUserId: string) =>
      userOrNull(userByExternalId.get(appId, externalUserId)),
    user: (userId: string) => userOrNull(userById.get(userId)),
    contacts: (userId: string): readonly Contact[] => contacts.all(userId).map(contactOf),
    applications: (): readonly Application[] => applications.all().map(applicationOf),
    application: find,
    users: (appId: string): readonly User[] => usersOf.all(appId).map(userOf),
  }
}
