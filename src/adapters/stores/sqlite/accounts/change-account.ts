import type { ProfileUpdate, User } from '../../../../core/account/profile.ts'
import type { Connection } from '../engine/connection.ts'
import { type UserRow, userOf } from './user-row.ts'

/** Users and their profiles, on the writer's side: to be called inside a transaction. */
export function accountWrites(db: Connection) {
  const byId = db.prepare<[string], UserRow>('SELECT * FROM users WHERE id = ?')
  const byExternalId = db.prepare<[string, string], UserRow>(
    'SELECT * FROM users WHERE app_id = ? AND external_user_id = ?',
  )
  const insert = db.prepare<[string, string, string, number, number]>(
    'INSERT INTO users (id, app_id, external_user_id, created_at, updated_at) VALUES (?, ?, ?, ?, ?)',
  )
  const update = db.prepare<[string | null, string | null, string | null, string | null, number, string]>(
    'UPDATE users SET name = ?, email = ?, phone = ?, address = ?, updated_at = ? WHERE id = ?',
  )
  const known = (row: UserRow | undefined): User => {
    if (row === undefined) throw new Error('a user that was just written is missing')
    return userOf(row)
  }

  return {
    ensureUser({ appId, externalUserId, id, now }: { appId: string; externalUserId: string; id: string; now: number }) {
      const existing = byExternalId.get(appId, externalUserId)
      if (existing !== undefined) return userOf(existing)
      insert.run(id, appId, externalUserId, now, now)
      return known(byId.get(id))
    },

    /** Only the fields sent change, null clears one. */
    updateProfile(userId: string, sent: ProfileUpdate, now: number): User | { readonly refused: 'user_not_found' } {
      const row = byId.get(userId)
      if (row === undefined) return { refused: 'user_not_found' }
      const { name = row.name, email = row.email, phone = row.phone, address = row.address } = sent
      update.run(name, email, phone, address, now, userId)
      return known(byId.get(userId))
    },
  }
}
