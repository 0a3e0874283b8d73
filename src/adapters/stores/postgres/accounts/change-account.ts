import { decideUpdatePerson, decideUpdateProfile } from '../../../../core/account/decide-user.ts'
import type { PersonUpdate } from '../../../../core/account/person-schema.ts'
import type { User } from '../../../../core/account/profile.ts'
import type { AccountStore, UserAdministration } from '../../../../ports/store.ts'
import { USER } from '../../shared/accounts.ts'
import { lockOwner, type Transaction, writesOf } from '../engine/write.ts'

const READ = `SELECT ${USER} FROM users WHERE id = $1`
const UPDATE = 'UPDATE users SET name = $2, email = $3, phone = $4, address = $5, updated_at = $6 WHERE id = $1'
const INSERT = `INSERT INTO users (id, app_id, external_user_id, created_at, updated_at) VALUES ($1, $2, $3, $4, $4)
  ON CONFLICT (app_id, external_user_id) DO NOTHING RETURNING id`
const UPDATE_PERSON = `UPDATE users SET name = $2, email = $3, phone = $4, address = $5, text_language = $6,
  operator_notes = $7, group_names = $8, updated_at = $9 WHERE id = $1`

async function writePerson(
  { connection }: Transaction,
  userId: string,
  ...change: readonly [sent: PersonUpdate, now: number]
): Promise<User | { readonly refused: 'user_not_found' }> {
  const [user] = await connection.rows<User>(READ, [userId])
  const decided = decideUpdatePerson(user ?? null, ...change)
  if ('refused' in decided) return decided
  const { name, email, phone, address, textLanguage, operatorNotes, groupNames, updatedAt } = decided
  const groups = groupNames === null ? null : JSON.stringify(groupNames)
  await connection.run(UPDATE_PERSON, [
    userId,
    name,
    email,
    phone,
    address,
    textLanguage,
    operatorNotes,
    groups,
    updatedAt,
  ])
  return decided
}

export const accountWrites = writesOf<AccountStore & Pick<UserAdministration, 'addPerson' | 'updatePerson'>>()({
  updateProfile: {
    moment: (_userId, _sent, now) => now,
    sender: (userId) => userId,
    async run(transaction, userId, sent, now) {
      const { connection } = transaction
      await lockOwner(transaction, userId)
      const [user] = await connection.rows<User>(READ, [userId])
      const decided = decideUpdateProfile(user ?? null, sent, now)
      if ('refused' in decided) return decided
      const { name, email, phone, address } = decided
      await connection.run(UPDATE, [userId, name, email, phone, address, now])
      return decided
    },
  },

  addPerson: {
    moment: ({ now }) => now,
    sender: ({ appId }) => appId,
    async run(transaction, { id, appId, externalUserId, fields, now }) {
      const added = await transaction.connection.rows(INSERT, [id, appId, externalUserId, now])
      if (added.length === 0) return { refused: 'user_exists' }
      return (await writePerson(transaction, id, fields, now)) as User
    },
  },

  updatePerson: {
    moment: (_userId, _sent, now) => now,
    sender: (userId) => userId,
    async run(transaction, userId, sent, now) {
      await lockOwner(transaction, userId)
      return writePerson(transaction, userId, sent, now)
    },
  },
})
