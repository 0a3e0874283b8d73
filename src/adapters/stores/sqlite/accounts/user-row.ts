import type { User } from '../../../../core/account/profile.ts'

export type UserRow = {
  readonly number: number
  readonly id: string
  readonly app_id: string
  readonly external_user_id: string
  readonly name: string | null
  readonly email: string | null
  readonly phone: string | null
  readonly address: string | null
  readonly disabled: 0 | 1
  readonly relay: 0 | 1
  readonly created_at: number
  readonly updated_at: number
}

export const userOf = (row: UserRow): User => ({
  id: row.id,
  appId: row.app_id,
  externalUserId: row.external_user_id,
  name: row.name,
  email: row.email,
  phone: row.phone,
  address: row.address,
  disabled: row.disabled === 1,
  relay: row.relay === 1,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})
