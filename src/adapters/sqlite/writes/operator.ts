import type { Database, Statement } from 'better-sqlite3'
import type { Actuators, ActuatorType } from '../../../core/actuator.ts'
import type { Application } from '../../../core/application.ts'
import type { User } from '../../../core/profile.ts'
import type { Settings } from '../../../core/settings.ts'
import type { DeadLetter, Notice, OutboxMessage } from '../../../ports/store.ts'
import { type ApplicationRow, applicationOf, type UserRow, userOf } from '../rows.ts'

const NOT_FOUND = { refused: 'application_not_found' } as const
/** Decisions 1: two at a time, so that a secret can be rotated without an outage. */
const MOST_SECRETS = 2

/** What the operator changes, and the tables that only grow: outbox, dead letters, notices. */
export function operatorWrites(db: Database, leave: (notice: Notice) => void) {
  const sql = {
    add: db.prepare(`INSERT INTO applications (id, name, language, legacy, disabled, settings, actuators, created_at)
      VALUES (@id, @name, @language, @legacy, @disabled, @settings, @actuators, @createdAt)`),
    get: db.prepare('SELECT * FROM applications WHERE id = ?') as Statement<[string], ApplicationRow>,
    put: db.prepare(`UPDATE applications SET name = @name, language = @language, legacy = @legacy, disabled = @disabled,
      settings = @settings, actuators = @actuators WHERE id = @id`),
    addSecret: db.prepare('INSERT INTO application_secrets (app_id, secret) VALUES (?, ?)'),
    secrets: db.prepare('SELECT id FROM application_secrets WHERE app_id = ? ORDER BY id').pluck(),
    removeSecret: db.prepare('DELETE FROM application_secrets WHERE id = ?'),
    user: db.prepare('SELECT * FROM users WHERE app_id = ? AND external_user_id = ?') as Statement<
      [string, string],
      UserRow
    >,
    disableUser: db.prepare('UPDATE users SET disabled = ? WHERE id = ?'),
    addToOutbox: db.prepare(`INSERT OR IGNORE INTO outbox
      (attempt_id, incident_id, contact_id, channel, recipient, text, created_at)
      VALUES (@attemptId, @incidentId, @contactId, @channel, @to, @text, @createdAt)`),
    addDeadLetter: db.prepare(`INSERT INTO dead_letters (user_id, topic, reason, payload, received_at)
      VALUES (@userId, @topic, @reason, @payload, @receivedAt)`),
    forgetNotices: db.prepare('DELETE FROM notices WHERE left_at < ?'),
    touch: db.prepare(
      "INSERT INTO meta (name, value) VALUES ('checked_at', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    ),
  }
  const columns = (application: Application) => ({
    ...application,
    legacy: application.legacy ? 1 : 0,
    disabled: application.disabled ? 1 : 0,
    settings: JSON.stringify(application.settings),
    actuators: JSON.stringify(application.actuators),
  })
  const find = (appId: string): Application | null => {
    const row = sql.get.get(appId)
    return row === undefined ? null : applicationOf(row)
  }
  const put = (application: Application): Application => {
    sql.put.run(columns(application))
    leave({ kind: 'admission', appId: application.id })
    return application
  }

  return {
    createApplication(application: Application, secret: string): void {
      sql.add.run(columns(application))
      sql.addSecret.run(application.id, secret)
    },

    updateApplication(appId: string, update: Partial<Application>) {
      const application = find(appId)
      return application === null ? NOT_FOUND : put({ ...application, ...update })
    },

    setActuator<T extends ActuatorType>(
      appId: string,
      type: T,
      target: Actuators[T] | null,
      settings: Partial<Settings>,
    ) {
      const application = find(appId)
      if (application === null) return NOT_FOUND
      const { [type]: _replaced, ...others } = application.actuators
      const actuators = target === null ? others : { ...others, [type]: target }
      return put({ ...application, actuators, settings: { ...application.settings, ...settings } })
    },

    addSecret(appId: string, secret: string) {
      if (find(appId) === null) return NOT_FOUND
      if (sql.secrets.all(appId).length >= MOST_SECRETS) return { refused: 'two_secrets_already' } as const
      sql.addSecret.run(appId, secret)
      return { added: true } as const
    },

    retireSecret(appId: string) {
      if (find(appId) === null) return NOT_FOUND
      const [oldest, ...others] = sql.secrets.all(appId)
      if (others.length === 0) return { refused: 'only_one_secret' } as const
      sql.removeSecret.run(oldest)
      leave({ kind: 'admission', appId })
      return { retired: true } as const
    },

    setUserDisabled(appId: string, externalUserId: string, disabled: boolean): User | { refused: 'user_not_found' } {
      const row = sql.user.get(appId, externalUserId)
      if (row === undefined) return { refused: 'user_not_found' }
      sql.disableUser.run(disabled ? 1 : 0, row.id)
      leave({ kind: 'admission', appId })
      return userOf({ ...row, disabled: disabled ? 1 : 0 })
    },

    addToOutbox: (message: Omit<OutboxMessage, 'id'>) => void sql.addToOutbox.run(message),
    addDeadLetter: (letter: Omit<DeadLetter, 'id'>) =>
      void sql.addDeadLetter.run({ ...letter, payload: Buffer.from(letter.payload) }),
    forgetNotices: (before: number) => void sql.forgetNotices.run(before),
    touch: (now: number) => void sql.touch.run(String(now)),
  }
}
