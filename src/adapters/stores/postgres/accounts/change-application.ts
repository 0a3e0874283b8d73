import type { Application } from '../../../../core/account/application.ts'
import {
  decideAddSecret,
  decideRetireSecret,
  withActuator,
  withText,
} from '../../../../core/account/application-changes.ts'
import { isCanary } from '../../../../core/account/canary.ts'
import type { User } from '../../../../core/account/profile.ts'
import type { ApplicationStore, UserAdministration } from '../../../../ports/store.ts'
import { APPLICATION, USER } from '../../shared/accounts.ts'
import { insertSql, updateSql } from '../engine/row.ts'
import { leaveNotice, type Transaction, writesOf } from '../engine/write.ts'

const NO_APPLICATION = { refused: 'application_not_found' } as const

const INSERT = insertSql('applications')
const UPDATE = updateSql('applications')
const LOCK = 'SELECT 1 FROM applications WHERE id = $1 FOR NO KEY UPDATE'
const READ = `SELECT ${APPLICATION} FROM applications WHERE id = $1`
const SECRETS = 'SELECT id FROM application_secrets WHERE app_id = $1 ORDER BY id'
const INSERT_SECRET = 'INSERT INTO application_secrets (app_id, secret, created_at) VALUES ($1, $2, $3)'
const DELETE_SECRET = 'DELETE FROM application_secrets WHERE id = $1'
const DISABLE = `UPDATE users SET disabled = $3 WHERE app_id = $1 AND external_user_id = $2 RETURNING ${USER}`

const LIST_RELAY = `UPDATE users SET relay = $3 WHERE app_id = $1 AND external_user_id = $2 RETURNING ${USER}`

/** The application, locked until the transaction ends. */
async function locked({ connection }: Transaction, appId: string): Promise<Application | null> {
  if (isCanary(appId)) return null
  await connection.run(LOCK, [appId])
  const [application] = await connection.rows<Application>(READ, [appId])
  return application ?? null
}

/** The application after `change`, which is stored. */
async function changed(
  transaction: Transaction,
  appId: string,
  change: (application: Application) => Application,
): Promise<Application | typeof NO_APPLICATION> {
  const before = await locked(transaction, appId)
  if (before === null) return NO_APPLICATION
  const application = change(before)
  await transaction.connection.run(UPDATE, [JSON.stringify([application])])
  return application
}

/** Locks the application. */
async function loadSecrets(transaction: Transaction, appId: string): Promise<readonly number[] | null> {
  if ((await locked(transaction, appId)) === null) return null
  return (await transaction.connection.rows<{ id: number }>(SECRETS, [appId])).map(({ id }) => id)
}

/** The writes of the operator's commands. */
export const applicationWrites = writesOf<ApplicationStore & UserAdministration>()({
  createApplication: {
    moment: ({ createdAt }) => createdAt,
    async run({ connection }, application, secret) {
      await connection.run(INSERT, [JSON.stringify([application])])
      await connection.run(INSERT_SECRET, [application.id, secret, application.createdAt])
    },
  },

  updateApplication: {
    async run(transaction, appId, sent) {
      const application = await changed(transaction, appId, (before) => ({ ...before, ...sent }))
      if (!('refused' in application)) await leaveNotice(transaction, { kind: 'admission', appId })
      return application
    },
  },

  setText: {
    run: (transaction, appId, language, key, text) =>
      changed(transaction, appId, (application) => withText(application, { language, key, text })),
  },

  setActuator: {
    run: (transaction, appId, type, target, settings) =>
      changed(transaction, appId, (application) => withActuator(application, type, { target, settings })),
  },

  addSecret: {
    moment: (_appId, _secret, now) => now,
    async run(transaction, appId, secret, now) {
      const decided = decideAddSecret(await loadSecrets(transaction, appId))
      if ('added' in decided) await transaction.connection.run(INSERT_SECRET, [appId, secret, now])
      return decided
    },
  },

  retireSecret: {
    async run(transaction, appId) {
      const decided = decideRetireSecret(await loadSecrets(transaction, appId))
      if ('refused' in decided) return decided
      await transaction.connection.run(DELETE_SECRET, [decided.remove])
      await leaveNotice(transaction, { kind: 'admission', appId })
      return { retired: true }
    },
  },

  setUserDisabled: {
    async run(transaction, appId, externalUserId, disabled) {
      const [user] = await transaction.connection.rows<User>(DISABLE, [appId, externalUserId, disabled])
      if (user === undefined) return { refused: 'user_not_found' }
      await leaveNotice(transaction, { kind: 'admission', appId })
      return user
    },
  },

  setUserRelay: {
    async run({ connection }, appId, externalUserId, relay) {
      const [user] = await connection.rows<User>(LIST_RELAY, [appId, externalUserId, relay])
      return user ?? { refused: 'user_not_found' }
    },
  },
})
