import type { Application, ApplicationSecret } from '../../../../core/account/application.ts'
import { CANARY_APP_ID } from '../../../../core/account/canary.ts'
import type { Contact } from '../../../../core/account/contact.ts'
import type { User } from '../../../../core/account/profile.ts'
import type {
  AccountStore,
  AdmissionStore,
  ApplicationStore,
  ContactStore,
  UserAdministration,
} from '../../../../ports/store.ts'
import { APPLICATION, contactsInOrder, USER } from '../../shared/accounts.ts'
import { boundsOf, scopedPage, userList } from '../../shared/scoped-page.ts'
import type { ReadsOf } from '../../shared/writes.ts'
import type { Reader } from '../engine/reader.ts'

type AccountReads = Omit<
  ReadsOf<AdmissionStore & AccountStore & ContactStore & UserAdministration & ApplicationStore>,
  'readmission' | 'ensureUser'
>

const ADMITTING = {
  name: 'admitting-application',
  text: `SELECT ${APPLICATION}, (
      SELECT json_agg(json_build_object('id', id, 'secret', secret) ORDER BY id)
      FROM application_secrets WHERE app_id = applications.id
    ) AS secrets
    FROM applications WHERE id = $1`,
}
const READMISSION = {
  name: 'readmission',
  text: `SELECT legacy,
      (SELECT coalesce(json_agg(id), '[]') FROM application_secrets WHERE app_id = $1) AS "secretIds",
      (SELECT coalesce(json_agg(id), '[]') FROM users
        WHERE id = ANY($2) AND app_id = $1 AND NOT disabled) AS "userIds",
      (SELECT coalesce(json_agg(app_devices.id), '[]') FROM app_devices JOIN users ON users.id = user_id
        WHERE user_id = ANY($2) AND app_id = $1 AND NOT disabled) AS "appDeviceIds"
    FROM applications WHERE id = $1 AND NOT disabled`,
}
export const CONTACTS_IN_ORDER = { name: 'contacts-in-order', text: contactsInOrder('$1') }
const BY_ID = { name: 'user', text: `SELECT ${USER} FROM users WHERE id = $1` }
const BY_EXTERNAL_ID = {
  name: 'user-by-external-id',
  text: `SELECT ${USER} FROM users WHERE app_id = $1 AND external_user_id = $2`,
}

const ANY_CONTACT = `SELECT contacts.name, external_user_id AS "externalUserId" FROM contacts
  JOIN users ON users.id = user_id WHERE app_id = ANY($1) LIMIT 1`
const APPLICATIONS = `SELECT ${APPLICATION} FROM applications WHERE id <> '${CANARY_APP_ID}' ORDER BY created_at, id`
const USERS_FROM = `SELECT ${USER} FROM users WHERE (app_id, external_user_id) > ($1, $2) AND app_id <= $3
  AND app_id <> '${CANARY_APP_ID}' ORDER BY app_id, external_user_id LIMIT $4`

export const accountReads = ({ rows, row }: Reader): AccountReads => ({
  async admittingApplication(appId) {
    const found = await row<Application & { readonly secrets: readonly ApplicationSecret[] | null }>(ADMITTING, [appId])
    if (found === null) return null
    const { secrets, ...application } = found
    return { application, secrets: secrets ?? [] }
  },
  userByExternalId: (appId, externalUserId) => row<User>(BY_EXTERNAL_ID, [appId, externalUserId]),
  user: (userId) => row<User>(BY_ID, [userId]),
  anyContact: (appIds) => row<{ readonly name: string; readonly externalUserId: string }>(ANY_CONTACT, [appIds]),
  contacts: (userId) => rows<Contact>(CONTACTS_IN_ORDER, [userId]),
  applications: () => rows<Application>(APPLICATIONS),
  application: (appId) => row<Application>(`SELECT ${APPLICATION} FROM applications WHERE id = $1`, [appId]),
  userPage(query) {
    const [low, high] = boundsOf(query)
    return scopedPage(userList, query, (after, limit) => rows<User>(USERS_FROM, [...(after ?? [low, '']), high, limit]))
  },
  users: (appId) => rows<User>(`SELECT ${USER} FROM users WHERE app_id = $1 ORDER BY number`, [appId]),
})

type ReadmissionRow = {
  readonly legacy: boolean
  readonly secretIds: readonly number[]
  readonly userIds: readonly string[]
  readonly appDeviceIds: readonly string[]
}

/** On a reader apart, so that logins and these checks do not wait for each other. */
export const readmissionReads = ({ row }: Reader): Pick<AdmissionStore, 'readmission'> => ({
  async readmission(appId, userIds) {
    const found = await row<ReadmissionRow>(READMISSION, [appId, userIds])
    if (found === null) return null
    const { legacy, secretIds, userIds: enabled, appDeviceIds } = found
    return {
      legacy,
      secretIds: new Set(secretIds),
      userIds: new Set(enabled),
      appDeviceIds: new Set(appDeviceIds),
    }
  },
})
