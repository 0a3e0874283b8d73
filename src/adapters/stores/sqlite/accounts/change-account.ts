import { decideUpdatePerson, decideUpdateProfile } from '../../../../core/account/decide-user.ts'
import type { PersonUpdate } from '../../../../core/account/person-schema.ts'
import type { User } from '../../../../core/account/profile.ts'
import type { AccountStore, UserAdministration } from '../../../../ports/store.ts'
import { USER } from '../../shared/accounts.ts'
import { type Row, toRow } from '../engine/row.ts'
import { type WriteContext, writesOf } from '../engine/write.ts'
import { userOf } from './account-rows.ts'

const rowOf = toRow<User>('users')

const userRows = ({ db }: WriteContext) => ({
  byId: db.prepare<[string], Row>(`SELECT ${USER} FROM users WHERE id = ?`),
  byExternalId: db.prepare<[string, string], Row>(
    `SELECT ${USER} FROM users WHERE app_id = ? AND external_user_id = ?`,
  ),
  insert: db.prepare<[string, string, string, number, number]>(
    'INSERT INTO users (id, app_id, external_user_id, created_at, updated_at) VALUES (?, ?, ?, ?, ?)',
  ),
  update: db.prepare<[string | null, string | null, string | null, string | null, number, string]>(
    'UPDATE users SET name = ?, email = ?, phone = ?, address = ?, updated_at = ? WHERE id = ?',
  ),
  updatePerson: db.prepare<Row>(
    `UPDATE users SET name = @name, email = @email, phone = @phone, address = @address, text_language = @textLanguage,
       operator_notes = @operatorNotes, group_names = @groupNames, updated_at = @updatedAt WHERE id = @id`,
  ),
})

type Rows = ReturnType<typeof userRows>

function writePerson(
  { byId, updatePerson }: Rows,
  userId: string,
  ...change: readonly [sent: PersonUpdate, now: number]
): User | { readonly refused: 'user_not_found' } {
  const row = byId.get(userId)
  const decided = decideUpdatePerson(row === undefined ? null : userOf(row), ...change)
  if (!('refused' in decided)) updatePerson.run(rowOf(decided))
  return decided
}

type Writes = AccountStore & Pick<UserAdministration, 'addPerson' | 'updatePerson'>

export const accountWrites = writesOf<Writes>()(userRows, {
  ensureUser: {
    // A user's first alarm creates the user.
    lane: 'alarm',
    reserve: 'releases',
    moment: ({ now }) => now,
    sender: ({ appId, externalUserId }) => `${appId}:${externalUserId}`,
    run({ byId, byExternalId, insert }, { appId, externalUserId, id, now }) {
      const existing = byExternalId.get(appId, externalUserId)
      if (existing !== undefined) return userOf(existing)
      insert.run(id, appId, externalUserId, now, now)
      return userOf(byId.get(id)!)
    },
  },

  updateProfile: {
    moment: (_userId, _sent, now) => now,
    sender: (userId) => userId,
    run({ byId, update }, userId, sent, now) {
      const row = byId.get(userId)
      const decided = decideUpdateProfile(row === undefined ? null : userOf(row), sent, now)
      if ('refused' in decided) return decided
      const { name, email, phone, address } = decided
      update.run(name, email, phone, address, now, userId)
      return decided
    },
  },

  addPerson: {
    moment: ({ now }) => now,
    sender: ({ appId }) => appId,
    run(rows, { id, appId, externalUserId, fields, now }) {
      if (rows.byExternalId.get(appId, externalUserId) !== undefined) return { refused: 'user_exists' }
      rows.insert.run(id, appId, externalUserId, now, now)
      return writePerson(rows, id, fields, now) as User
    },
  },

  updatePerson: {
    moment: (_userId, _sent, now) => now,
    sender: (userId) => userId,
    run: (rows, userId, sent, now) => writePerson(rows, userId, sent, now),
  },
})
