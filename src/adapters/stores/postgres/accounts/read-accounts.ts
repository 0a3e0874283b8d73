import type { Application, ApplicationSecret } from '../../../../core/account/application.ts'
import type { Contact } from '../../../../core/account/contact.ts'
import type { User } from '../../../../core/account/profile.ts'
import type { Store } from '../../../../ports/store.ts'
import type { Reader } from '../engine/reader.ts'
import { APPLICATION, CONTACTS_IN_ORDER, USER } from './columns.ts'

type AccountReads = Pick<
  Store,
  | 'admittingApplication'
  | 'stillAdmits'
  | 'userByExternalId'
  | 'user'
  | 'contacts'
  | 'applications'
  | 'application'
  | 'users'
>

const ADMITTING = {
  name: 'admitting-application',
  text: `SELECT ${APPLICATION}, (
      SELECT json_agg(json_build_object('id', id, 'secret', secret) ORDER BY id)
      FROM application_secrets WHERE app_id = applications.id
    ) AS secrets
    FROM applications WHERE id = $1`,
}
const ADMITS = {
  name: 'still-admits',
  text: `SELECT 1 FROM users JOIN applications ON applications.id = users.app_id
    WHERE applications.id = $1 AND NOT applications.disabled AND users.id = $2 AND NOT users.disabled
      AND EXISTS (SELECT 1 FROM application_secrets WHERE id = $3 AND app_id = applications.id)`,
}
const BY_ID = { name: 'user', text: `SELECT ${USER} FROM users WHERE id = $1` }
const BY_EXTERNAL_ID = {
  name: 'user-by-external-id',
  text: `SELECT ${USER} FROM users WHERE app_id = $1 AND external_user_id = $2`,
}

export const accountReads = ({ rows, row }: Reader): AccountReads => ({
  async admittingApplication(appId) {
    const found = await row<Application & { readonly secrets: readonly ApplicationSecret[] | null }>(ADMITTING, [appId])
    if (found === null) return null
    const { secrets, ...application } = found
    return { application, secrets: secrets ?? [] }
  },
  stillAdmits: async ({ appId, userId, secretId }) => (await row(ADMITS, [appId, userId, secretId])) !== null,
  userByExternalId: (appId, externalUserId) => row<User>(BY_EXTERNAL_ID, [appId, externalUserId]),
  user: (userId) => row<User>(BY_ID, [userId]),
  contacts: (userId) => rows<Contact>(CONTACTS_IN_ORDER, [userId]),
  applications: () => rows<Application>(`SELECT ${APPLICATION} FROM applications ORDER BY created_at, id`),
  application: (appId) => row<Application>(`SELECT ${APPLICATION} FROM applications WHERE id = $1`, [appId]),
  users: (appId) => rows<User>(`SELECT ${USER} FROM users WHERE app_id = $1 ORDER BY number`, [appId]),
})
