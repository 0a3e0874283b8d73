import type { Database, Statement } from 'better-sqlite3'
import { type Contact, type ContactCreate, type ContactUpdate, insertedAt, isReorderOf } from '../../../core/contact.ts'
import type { ProfileUpdate, User } from '../../../core/profile.ts'
import type { Committed } from '../../../ports/store.ts'
import { type ContactRow, contactOf, type UserRow, userOf } from '../rows.ts'
import type { IncidentWrites } from './incidents.ts'

/** Users and their contacts. */
export function accountWrites(db: Database, incidents: IncidentWrites) {
  const sql = {
    userByExternal: db.prepare('SELECT * FROM users WHERE app_id = ? AND external_user_id = ?') as Statement<
      [string, string],
      UserRow
    >,
    user: db.prepare('SELECT * FROM users WHERE id = ?') as Statement<[string], UserRow>,
    addUser: db.prepare(`INSERT OR IGNORE INTO users (id, app_id, external_user_id, created_at, updated_at)
      VALUES (@id, @appId, @externalUserId, @now, @now)`),
    updateUser: db.prepare(`UPDATE users SET name = @name, email = @email, phone = @phone, address = @address,
      updated_at = @now WHERE id = @id`),
    contact: db.prepare('SELECT * FROM contacts WHERE id = ? AND user_id = ?') as Statement<
      [string, string],
      ContactRow
    >,
    contacts: db.prepare('SELECT * FROM contacts WHERE user_id = ? ORDER BY priority') as Statement<
      [string],
      ContactRow
    >,
    language: db
      .prepare('SELECT language FROM applications JOIN users ON users.app_id = applications.id WHERE users.id = ?')
      .pluck(),
    addContact: db.prepare(`INSERT INTO contacts
      (id, user_id, name, phone, email, language, priority, created_at, updated_at)
      VALUES (@id, @userId, @name, @phone, @email, @language, @priority, @now, @now)`),
    updateContact: db.prepare(`UPDATE contacts SET name = @name, phone = @phone, email = @email, language = @language,
      updated_at = @now WHERE id = @id`),
    place: db.prepare(
      'UPDATE contacts SET priority = @priority, updated_at = @now WHERE id = @id AND priority <> @priority',
    ),
    removeContact: db.prepare('DELETE FROM contacts WHERE id = ? AND user_id = ?'),
  }
  const idsOf = (userId: string) => sql.contacts.all(userId).map((row) => row.id)
  const languageOf = (userId: string, language: string | null | undefined): string =>
    language ?? (sql.language.get(userId) as string | undefined) ?? 'en'
  const place = (ids: readonly string[], now: number) => {
    for (const [index, id] of ids.entries()) sql.place.run({ id, priority: index + 1, now })
  }
  const contactNow = (id: string, userId: string): Contact => contactOf(sql.contact.get(id, userId)!)

  return {
    ensureUser(user: { appId: string; externalUserId: string; id: string; now: number }): User {
      sql.addUser.run(user)
      return userOf(sql.userByExternal.get(user.appId, user.externalUserId)!)
    },

    updateProfile(id: string, update: ProfileUpdate, now: number): User | { refused: 'user_not_found' } {
      const row = sql.user.get(id)
      if (row === undefined) return { refused: 'user_not_found' }
      const { name, email, phone, address } = row
      sql.updateUser.run({ name, email, phone, address, ...definedOnly(update), id, now })
      return userOf(sql.user.get(id)!)
    },

    addContact(
      userId: string,
      { id, fields, now, limit }: { id: string; fields: ContactCreate; now: number; limit: number },
    ): { contact: Contact; joined: Committed | null } | { refused: 'contact_limit' } {
      const ids = idsOf(userId)
      if (ids.length >= limit) return { refused: 'contact_limit' }
      const { name, phone, email = null } = fields
      const language = languageOf(userId, fields.language)
      sql.addContact.run({ id, userId, name, phone, email, language, priority: ids.length + 1, now })
      place(insertedAt(ids, id, fields.priority ?? null), now)
      const contact = contactNow(id, userId)
      const planned = { contactId: id, name, phone, email, language, priority: contact.priority }
      const joined = incidents.change({ openOf: userId }, { type: 'addContact', now, contact: planned })
      return { contact, joined: joined.verdict === 'changed' ? joined : null }
    },

    updateContact(
      userId: string,
      id: string,
      fields: ContactUpdate,
      now: number,
    ): Contact | { refused: 'contact_not_found' } {
      const row = sql.contact.get(id, userId)
      if (row === undefined) return { refused: 'contact_not_found' }
      const { priority, language, ...rest } = fields
      const { name, phone, email } = row
      const spoken = language === undefined ? row.language : languageOf(userId, language)
      sql.updateContact.run({ name, phone, email, ...definedOnly(rest), language: spoken, id, now })
      if (priority !== undefined && priority !== null) place(insertedAt(idsOf(userId), id, priority), now)
      return contactNow(id, userId)
    },

    removeContact(userId: string, id: string, now: number): { removed: true } | { refused: 'contact_not_found' } {
      if (sql.removeContact.run(id, userId).changes === 0) return { refused: 'contact_not_found' }
      place(idsOf(userId), now)
      return { removed: true }
    },

    reorderContacts(
      userId: string,
      ids: readonly string[],
      now: number,
    ): { reordered: true } | { refused: 'not_a_reorder' } {
      if (!isReorderOf(ids, idsOf(userId))) return { refused: 'not_a_reorder' }
      place(ids, now)
      return { reordered: true }
    },
  }
}

/** Only what was sent: an undefined would overwrite. */
const definedOnly = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
