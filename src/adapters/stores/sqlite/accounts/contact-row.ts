import type { Contact } from '../../../../core/account/contact.ts'

export type ContactRow = {
  readonly id: string
  readonly user_id: string
  readonly priority: number
  readonly name: string
  readonly phone: string
  readonly email: string | null
  readonly language: string
  readonly verified_at: number | null
  readonly declined_at: number | null
  readonly stopped_at: number | null
  readonly created_at: number
  readonly updated_at: number
}

export const CONTACTS_IN_ORDER = 'SELECT * FROM contacts WHERE user_id = +? ORDER BY priority'

export const contactOf = (row: ContactRow): Contact => ({
  id: row.id,
  userId: row.user_id,
  name: row.name,
  phone: row.phone,
  email: row.email,
  language: row.language,
  priority: row.priority,
  verifiedAt: row.verified_at,
  declinedAt: row.declined_at,
  stoppedAt: row.stopped_at,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})
