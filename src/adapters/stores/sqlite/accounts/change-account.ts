import type { User } from '../../../../core/account/profile.ts'
import type { AccountStore } from '../../../../ports/store.ts'
import { USER } from '../../shared/accounts.ts'
import type { Row } from '../engine/row.ts'
import { type WriteContext, writesOf } from '../engine/write.ts'
import { userOf } from './account-rows.ts'

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
})

function known(row: Row | undefined): User {
  if (row === undefined) throw new Error('a user that was just written is not there')
  return userOf(row)
}

export const accountWrites = writesOf<AccountStore>()(userRows, {
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
      return known(byId.get(id))
    },
  },

  /** Changes only the fields sent; null clears a field. */
  updateProfile: {
    moment: (_userId, _sent, now) => now,
    sender: (userId) => userId,
    run({ byId, update }, userId, sent, now) {
      const row = byId.get(userId)
      if (row === undefined) return { refused: 'user_not_found' }
      const user = userOf(row)
      const { name = user.name, email = user.email, phone = user.phone, address = user.address } = sent
      update.run(name, email, phone, address, now, userId)
      return known(byId.get(userId))
    },
  },
})
