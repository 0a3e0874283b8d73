import type { Application } from '../../../../core/account/application.ts'
import { MAX_SECRETS, withActuator, withText } from '../../../../core/account/application-changes.ts'
import { isCanary } from '../../../../core/account/canary.ts'
import type { ApplicationStore, UserAdministration } from '../../../../ports/store.ts'
import { type WriteContext, writesOf } from '../engine/write.ts'
import { type ApplicationRow, applicationOf } from './application-row.ts'
import { type UserRow, userOf } from './user-row.ts'

const NO_APPLICATION = { refused: 'application_not_found' } as const

type Columns = { readonly [column: string]: string | number | null }

const columnsOf = (application: Application): Columns => {
  const { settings, actuators, texts, allowedPrefixes, corsOrigins, fallbackContact } = application
  return {
    id: application.id,
    name: application.name,
    language: application.language,
    legacy: Number(application.legacy),
    disabled: Number(application.disabled),
    settings: JSON.stringify(settings),
    actuators: JSON.stringify(actuators),
    texts: JSON.stringify(texts),
    allowedPrefixes: JSON.stringify(allowedPrefixes),
    timeZone: application.timeZone,
    corsOrigins: JSON.stringify(corsOrigins),
    fallbackContact: fallbackContact && JSON.stringify(fallbackContact),
    silentAfterMinutes: application.silentAfterMinutes,
    verifyContacts: Number(application.verifyContacts),
    silentByDefault: Number(application.silentByDefault),
    relays: application.relays,
    mapLink: application.mapLink,
    createdAt: application.createdAt,
  }
}

function applicationRows({ db, leaveNotice }: WriteContext) {
  const byId = db.prepare<[string], ApplicationRow>('SELECT * FROM applications WHERE id = ?')
  const insert = db.prepare<Columns>(
    `INSERT INTO applications (id, name, language, legacy, disabled, settings, actuators, texts, allowed_prefixes, time_zone,
       cors_origins, fallback_contact, silent_after_minutes, verify_contacts, silent_by_default, relays,
       map_link, created_at)
     VALUES (@id, @name, @language, @legacy, @disabled, @settings, @actuators, @texts, @allowedPrefixes, @timeZone,
       @corsOrigins, @fallbackContact, @silentAfterMinutes, @verifyContacts, @silentByDefault, @relays,
       @mapLink, @createdAt)`,
  )
  const update = db.prepare<Columns>(
    `UPDATE applications SET name = @name, language = @language, legacy = @legacy, disabled = @disabled, settings = @settings,
       actuators = @actuators, texts = @texts, allowed_prefixes = @allowedPrefixes, time_zone = @timeZone,
       cors_origins = @corsOrigins, fallback_contact = @fallbackContact,
       silent_after_minutes = @silentAfterMinutes, verify_contacts = @verifyContacts,
       silent_by_default = @silentByDefault, relays = @relays, map_link = @mapLink
     WHERE id = @id AND created_at = @createdAt`,
  )
  const secretIds = db
    .prepare<[string], number>('SELECT id FROM application_secrets WHERE app_id = ? ORDER BY id')
    .pluck()
  const insertSecret = db.prepare<[string, string, number]>(
    'INSERT INTO application_secrets (app_id, secret, created_at) VALUES (?, ?, ?)',
  )
  const deleteSecret = db.prepare<[number]>('DELETE FROM application_secrets WHERE id = ?')
  const disableUser = db.prepare<[number, string, string], UserRow>(
    'UPDATE users SET disabled = ? WHERE app_id = ? AND external_user_id = ? RETURNING *',
  )
  const listRelay = db.prepare<[number, string, string], UserRow>(
    'UPDATE users SET relay = ? WHERE app_id = ? AND external_user_id = ? RETURNING *',
  )

  const find = (appId: string): Application | null => {
    const row = isCanary(appId) ? undefined : byId.get(appId)
    return row === undefined ? null : applicationOf(row)
  }
  const write = (application: Application): Application => {
    update.run(columnsOf(application))
    return application
  }

  return { leaveNotice, find, write, insert, secretIds, insertSecret, deleteSecret, disableUser, listRelay }
}

/** The writes of the operator's commands. */
export const applicationWrites = writesOf<ApplicationStore & UserAdministration>()(applicationRows, {
  createApplication: {
    moment: ({ createdAt }) => createdAt,
    run({ insert, insertSecret }, application, secret) {
      insert.run(columnsOf(application))
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
    run({ find, secretIds, insertSecret }, appId, secret, now) {
      if (find(appId) === null) return NO_APPLICATION
      if (secretIds.all(appId).length >= MAX_SECRETS) return { refused: 'two_secrets_already' }
      insertSecret.run(appId, secret, now)
      return { added: true }
    },
  },

  retireSecret: {
    run({ find, secretIds, deleteSecret, leaveNotice }, appId) {
      if (find(appId) === null) return NO_APPLICATION
      const [older, newer] = secretIds.all(appId)
      if (older === undefined || newer === undefined) return { refused: 'only_one_secret' }
      deleteSecret.run(older)
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
