import { decideUpdateProfile } from '../../../../core/account/decide-user.ts'
import type { User } from '../../../../core/account/profile.ts'
import type { AccountStore } from '../../../../ports/store.ts'
import { USER } from '../../shared/accounts.ts'
import { lockOwner, writesOf } from '../engine/write.ts'

const READ = `SELECT ${USER} FROM users WHERE id = $1`
const UPDATE = 'UPDATE users SET name = $2, email = $3, phone = $4, address = $5, updated_at = $6 WHERE id = $1'

export const accountWrites = writesOf<AccountStore>()({
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
})
