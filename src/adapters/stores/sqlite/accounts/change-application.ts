import type { Application } from '../../../../core/account/application.ts'
import {
  decideAddSecret,
  decideRetireSecret,
  withActuator,
  withText,
} from '../../../../core/account/application-changes.ts'
import { isCanary } from '../../../../core/account/canary.ts'
import type { ApplicationStore, UserAdministration } from '../../../../ports/store.ts'
import { APPLICATION, USER } from '../../shared/accounts.ts'
import { insertSql, type Row, toRow, updateSql } from '../engine/row.ts'
import { type WriteContext, writesOf } from '../engine/write.ts'
import { applicationOf, userOf } from './account-rows.ts'

const NO_APPLICATION = { refused: 'application_not_found' } as const

const rowOf = toRow<Application>('applications')

function applicationRows({ db, leaveNotice }: WriteContext) {
  const byId = db.prepare<[string], Row>(`SELECT ${APPLICATION} FROM applications WHERE id = ?`)
  const insert = db.prepare<Row>(insertSql('applications'))
  const update = db.prepare<Row>(updateSql('applications'))
  const secretIds = db
    .prepare<[string], number>('SELECT id FROM application_secrets WHERE app_id = ? ORDER BY id')
    .pluck()
  const insertSecret = db.prepare<[string, string, number]>(
    'INSERT INTO application_secrets (app_id, secret, created_at) VALUES (?, ?, ?)',
  )
  const deleteSecret = db.prepare<[number]>('DELETE FROM application_secrets WHERE id = ?')
  const disableUser = db.prepare<[number, string, string], Row>(
    `UPDATE users SET disabled = ? WHERE app_id = ? AND external_user_id = ? RETURNING ${USER}`,
  )
  const listRelay = db.prepare<[number, string, string], Row>(
    `UPDATE users SET relay = ? WHERE app_id = ? AND external_user_id = ? RETURNING ${USER}`,
  )

  const find = (appId: string): Application | null => {
    const row = isCanary(appId) ? undefined : byId.get(appId)
    return row === undefined ? null : applicationOf(row)
  }
  const write = (application: Application): Application => {
    update.run(rowOf(application))
    return application
  }

  const loadSecrets = (appId: string): readonly number[] | null => (find(appId) === null ? null : secretIds.all(appId))

  return { leaveNotice, find, write, insert, loadSecrets, insertSecret, deleteSecret, disableUser, listRelay }
}

/** The writes of the operator's commands. */
export const applicationWrites = writesOf<ApplicationStore & UserAdministration>()(applicationRows, {
  createApplication: {
    moment: ({ createdAt }) => createdAt,
    run({ insert, insertSecret }, application, secret) {
      insert.run(rowOf(application))
      insertSecret.run(application.id, secret, application.createdAt)
    },
  },

  updateApplication: {
    run({ find, write, leaveNotice }, appId, sent) {
      const application = find(appId)
      if (application === null) return NO_APPLICATION
      leaveNotice({ kind: 'admission', appId })
      return write({ ...application, ...sent })
    },
  },

  setText: {
    run({ find, write }, appId, language, key, text) {
      const application = find(appId)
      return application === null ? NO_APPLICATION : write(withText(application, { language, key, text }))
    },
  },

  setActuator: {
    run({ find, write }, appId, type, target, settings) {
      const application = find(appId)
      return application === null ? NO_APPLICATION : write(withActuator(application, type, { target, settings }))
    },
  },

  addSecret: {
    moment: (_appId, _secret, now) => now,
    run({ loadSecrets, insertSecret }, appId, secret, now) {
      const decided = decideAddSecret(loadSecrets(appId))
      if ('added' in decided) insertSecret.run(appId, secret, now)
      return decided
    },
  },

  retireSecret: {
    run({ loadSecrets, deleteSecret, leaveNotice }, appId) {
      const decided = decideRetireSecret(loadSecrets(appId))
      if ('refused' in decided) return decided
      deleteSecret.run(decided.remove)
      leaveNotice({ kind: 'admission', appId })
      return { retired: true }
    },
  },

  setUserDisabled: {
    run({ disableUser, leaveNotice }, appId, externalUserId, disabled) {
      const row = disableUser.get(Number(disabled), appId, externalUserId)
      if (row === undefined) return { refused: 'user_not_found' }
      leaveNotice({ kind: 'admission', appId })
      return userOf(row)
    },
  },

  setUserRelay: {
    run({ listRelay }, appId, externalUserId, relay) {
      const row = listRelay.get(Number(relay), appId, externalUserId)
      return row === undefined ? { refused: 'user_not_found' } : userOf(row)
    },
  },
})
