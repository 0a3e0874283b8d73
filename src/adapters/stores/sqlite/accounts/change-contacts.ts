import { insertedAt, isReorderOf } from '../../../../core/account/contact.ts'
import { isAllowedDestination } from '../../../../core/account/destination.ts'
import { plannedContactOf } from '../../../../core/incident/alarm-plan.ts'
import type { ContactStore } from '../../../../ports/store.ts'
import { type WriteContext, writesOf } from '../engine/write.ts'
import { incidentDoor } from '../incidents/change-incident.ts'
import { CONTACTS_IN_ORDER, type ContactRow, contactOf } from './contact-row.ts'

/** What the contact says of messages, if the number is still theirs. */
const saidBy = (db: WriteContext['db']) => {
  const prepared = (set: string) =>
    db.prepare<{ [column: string]: string | number }>(
      `UPDATE contacts SET ${set} WHERE id = @contactId AND user_id = @userId AND phone = @phone AND @now >= 0`,
    )
  return {
    stop: prepared('stopped_at = @now'),
    stranger: prepared('verified_at = NULL, declined_at = @now'),
    start: prepared('stopped_at = NULL, declined_at = NULL'),
  }
}

function contactRows({ db, part }: WriteContext) {
  const inOrder = db.prepare<[string], ContactRow>(CONTACTS_IN_ORDER)
  const languageOf = db
    .prepare<[string], string>(
      'SELECT language FROM applications WHERE id = (SELECT app_id FROM users WHERE users.id = ?)',
    )
    .pluck()
  const prefixesOf = db
    .prepare<[string], string>(
      'SELECT allowed_prefixes FROM applications WHERE id = (SELECT app_id FROM users WHERE users.id = ?)',
    )
    .pluck()
  const insert = db.prepare<{ [column: string]: string | number | null }>(
    `INSERT INTO contacts (id, user_id, priority, name, phone, email, language, created_at, updated_at)
     VALUES (@id, @userId, @priority, @name, @phone, @email, @language, @now, @now)`,
  )
  const update = db.prepare<{ [column: string]: string | number | null }>(
    `UPDATE contacts SET name = @name, phone = @phone, email = @email, language = @language, updated_at = @now,
       verified_at = CASE WHEN phone = @phone THEN verified_at END,
       declined_at = CASE WHEN phone = @phone THEN declined_at END,
       stopped_at = CASE WHEN phone = @phone THEN stopped_at END
     WHERE id = @contactId`,
  )
  const place = db.prepare<[number, number, string]>('UPDATE contacts SET priority = ?, updated_at = ? WHERE id = ?')
  const said = saidBy(db)
  const remove = db.prepare<[string]>('DELETE FROM contacts WHERE id = ?')

  const idsOf = (userId: string): readonly string[] => inOrder.all(userId).map((row) => row.id)
  const find = (userId: string, contactId: string): ContactRow | undefined =>
    inOrder.all(userId).find((row) => row.id === contactId)
  const known = (userId: string, contactId: string): ContactRow => {
    const row = find(userId, contactId)
    if (row === undefined) throw new Error('a contact that was just written is missing')
    return row
  }
  const defaultLanguage = (userId: string): string => {
    const language = languageOf.get(userId)
    if (language === undefined) throw new Error('contact of an unknown user')
    return language
  }
  const mayHave = (userId: string, phone: string): boolean =>
    isAllowedDestination(phone, JSON.parse(prefixesOf.get(userId) ?? '[]'))
  /** Only contacts that move count as changed. */
  const arrange = (userId: string, order: readonly string[], now: number): void => {
    const before = new Map(inOrder.all(userId).map((row) => [row.id, row.priority]))
    for (const [index, id] of order.entries()) if (before.get(id) !== index + 1) place.run(index + 1, now, id)
  }

  const { changeIncident } = part(incidentDoor)
  return { idsOf, find, known, defaultLanguage, mayHave, arrange, insert, update, said, remove, changeIncident }
}

/** Emergency contacts. Priorities are always 1..n without gaps. */
export const contactWrites = writesOf<ContactStore>()(contactRows, {
  addContact: {
    moment: (_userId, { now }) => now,
    sender: (userId) => userId,
    run(contacts, userId, { id, fields, now, limit, bySession }) {
      const others = contacts.idsOf(userId)
      if (others.length >= limit) return { refused: 'contact_limit' }
      const { name, phone, email = null } = fields
      if (!contacts.mayHave(userId, phone)) return { refused: 'phone_not_allowed' }
      const language = fields.language ?? contacts.defaultLanguage(userId)
      contacts.insert.run({ id, userId, priority: others.length + 1, name, phone, email, language, now })
      contacts.arrange(userId, insertedAt(others, id, fields.priority ?? null), now)
      const row = contacts.known(userId, id)
      const contact = plannedContactOf(contactOf(row))
      const command = { type: 'addContact', now, contact, ...(bySession && { bySession }) } as const
      const joined = contacts.changeIncident({ openOf: userId }, command)
      return { contact: contactOf(row), joined: joined.verdict === 'unchanged' ? null : joined }
    },
  },

  /**
   * Changes only the fields sent; another number is unverified. Also in the cascade of an open incident. A null
   * language resets it to the application's.
   */
  updateContact: {
    moment: (_userId, _contactId, _sent, now) => now,
    sender: (userId) => userId,
    run(contacts, userId, contactId, sent, now) {
      const row = contacts.find(userId, contactId)
      if (row === undefined) return { refused: 'contact_not_found' }
      if (sent.phone !== undefined && !contacts.mayHave(userId, sent.phone)) return { refused: 'phone_not_allowed' }
      const { name = row.name, phone = row.phone, email = row.email } = sent
      const language = sent.language === undefined ? row.language : (sent.language ?? contacts.defaultLanguage(userId))
      contacts.update.run({ name, phone, email, language, now, contactId })
      const { priority = null } = sent
      if (priority !== null) {
        contacts.arrange(userId, insertedAt(contacts.idsOf(userId), contactId, priority), now)
      }
      const changed = contacts.known(userId, contactId)
      const contact = plannedContactOf(contactOf(changed))
      const command = { type: 'updateContact', now, contact, bySession: true } as const
      const corrected = contacts.changeIncident({ openOf: userId }, command)
      return { contact: contactOf(changed), corrected: corrected.verdict === 'unchanged' ? null : corrected }
    },
  },

  removeContact: {
    moment: (_userId, _contactId, now) => now,
    sender: (userId) => userId,
    run({ find, remove, arrange, idsOf, changeIncident }, userId, contactId, now) {
      if (find(userId, contactId) === undefined) return { refused: 'contact_not_found' }
      remove.run(contactId)
      arrange(userId, idsOf(userId), now)
      const noted = changeIncident({ openOf: userId }, { type: 'removeContact', now, contactId })
      return { removed: true, noted: noted.verdict === 'unchanged' ? null : noted }
    },
  },

  markContact: {
    moment: (_userId, _contactId, { now }) => now,
    sender: (userId) => userId,
    run: ({ said }, userId, contactId, { what, phone, now }) => void said[what].run({ userId, contactId, phone, now }),
  },

  reorderContacts: {
    moment: (_userId, _order, now) => now,
    sender: (userId) => userId,
    run({ idsOf, arrange }, userId, order, now) {
      if (!isReorderOf(order, idsOf(userId))) return { refused: 'not_a_reorder' }
      arrange(userId, order, now)
      return { reordered: true }
    },
  },
})
