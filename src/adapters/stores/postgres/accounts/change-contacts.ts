import { type Contact, insertedAt, isReorderOf } from '../../../../core/account/contact.ts'
import { isAllowedDestination } from '../../../../core/account/destination.ts'
import { plannedContactOf } from '../../../../core/incident/alarm-plan.ts'
import type { Command } from '../../../../core/incident/command.ts'
import type { Committed, ContactStore } from '../../../../ports/store.ts'
import { lockOwner, type Transaction, writesOf } from '../engine/write.ts'
import { changeIncidentIn } from '../incidents/door.ts'
import { CONTACTS_IN_ORDER } from './columns.ts'

type Owner = {
  readonly language: string
  readonly allowedPrefixes: readonly string[]
  /** In order. */
  readonly contacts: readonly Contact[]
}

const RULES = `SELECT language, allowed_prefixes AS "allowedPrefixes" FROM applications
  WHERE id = (SELECT app_id FROM users WHERE id = $1)`
const INSERT = `INSERT INTO contacts (id, user_id, priority, name, phone, email, language, created_at, updated_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8)`
const UPDATE = `UPDATE contacts SET name = $2, phone = $3, email = $4, language = $5, updated_at = $6,
    verified_at = CASE WHEN phone = $3 THEN verified_at END, declined_at = CASE WHEN phone = $3 THEN declined_at END,
    stopped_at = CASE WHEN phone = $3 THEN stopped_at END
  WHERE id = $1`
/** What the contact says of messages, if the number is still theirs. */
const SAID = {
  stop: 'stopped_at = $4',
  stranger: 'verified_at = NULL, declined_at = $4',
  start: 'stopped_at = NULL, declined_at = NULL',
} as const
const DELETE = 'DELETE FROM contacts WHERE id = $1'
/** Only contacts that move count as changed. */
const ARRANGE = `UPDATE contacts SET priority = place.priority, updated_at = $2
  FROM unnest($1::text[]) WITH ORDINALITY AS place (id, priority)
  WHERE contacts.id = place.id AND contacts.priority <> place.priority`

/** Locks the owner: all changes of one user's contacts and of their incidents take turns. */
async function ownerOf(transaction: Transaction, userId: string): Promise<Owner> {
  const { connection } = transaction
  await lockOwner(transaction, userId)
  const [[rules], contacts] = await Promise.all([
    connection.rows<Omit<Owner, 'contacts'>>(RULES, [userId]),
    connection.rows<Contact>(CONTACTS_IN_ORDER, [userId]),
  ])
  if (rules === undefined) throw new Error('contact of an unknown user')
  return { ...rules, contacts }
}

const arrange = ({ connection }: Transaction, order: readonly string[], now: number): Promise<number> =>
  connection.run(ARRANGE, [order, now])

async function known({ connection }: Transaction, userId: string, contactId: string): Promise<Contact> {
  const contacts = await connection.rows<Contact>(CONTACTS_IN_ORDER, [userId])
  const contact = contacts.find(({ id }) => id === contactId)
  if (contact === undefined) throw new Error('a contact that was just written is missing')
  return contact
}

/** Tells the user's open incident. Null if that changes nothing. */
async function told(transaction: Transaction, userId: string, command: Command): Promise<Committed | null> {
  const committed = await changeIncidentIn(transaction, { key: { openOf: userId }, command })
  return committed.verdict === 'unchanged' ? null : committed
}

/** Emergency contacts. Priorities are always 1..n without gaps. */
export const contactWrites = writesOf<ContactStore>()({
  addContact: {
    moment: (_userId, { now }) => now,
    sender: (userId) => userId,
    async run(transaction, userId, { id, fields, now, limit, bySession }) {
      const { contacts, language, allowedPrefixes } = await ownerOf(transaction, userId)
      if (contacts.length >= limit) return { refused: 'contact_limit' }
      const { name, phone, email = null } = fields
      if (!isAllowedDestination(phone, allowedPrefixes)) return { refused: 'phone_not_allowed' }
      const row = [id, userId, contacts.length + 1, name, phone, email, fields.language ?? language, now]
      await transaction.connection.run(INSERT, row)
      await arrange(
        transaction,
        insertedAt(
          contacts.map((other) => other.id),
          id,
          fields.priority ?? null,
        ),
        now,
      )
      const contact = await known(transaction, userId, id)
      const about = { now, contact: plannedContactOf(contact), ...(bySession && { bySession }) }
      return { contact, joined: await told(transaction, userId, { type: 'addContact', ...about }) }
    },
  },

  /**
   * Changes only the fields sent; another number is unverified. Also in the cascade of an open incident. A null
   * language resets it to the application's.
   */
  updateContact: {
    moment: (_userId, _contactId, _sent, now) => now,
    sender: (userId) => userId,
    async run(transaction, userId, contactId, sent, now) {
      const { contacts, allowedPrefixes, ...owner } = await ownerOf(transaction, userId)
      const before = contacts.find(({ id }) => id === contactId)
      if (before === undefined) return { refused: 'contact_not_found' }
      if (sent.phone !== undefined && !isAllowedDestination(sent.phone, allowedPrefixes)) {
        return { refused: 'phone_not_allowed' }
      }
      const { name = before.name, phone = before.phone, email = before.email, priority = null } = sent
      const language = sent.language === undefined ? before.language : (sent.language ?? owner.language)
      await transaction.connection.run(UPDATE, [contactId, name, phone, email, language, now])
      if (priority !== null)
        await arrange(
          transaction,
          insertedAt(
            contacts.map(({ id }) => id),
            contactId,
            priority,
          ),
          now,
        )
      const contact = await known(transaction, userId, contactId)
      const about = { now, contact: plannedContactOf(contact), bySession: true } as const
      return { contact, corrected: await told(transaction, userId, { type: 'updateContact', ...about }) }
    },
  },

  removeContact: {
    moment: (_userId, _contactId, now) => now,
    sender: (userId) => userId,
    async run(transaction, userId, contactId, now) {
      await lockOwner(transaction, userId)
      const contacts = await transaction.connection.rows<Contact>(CONTACTS_IN_ORDER, [userId])
      const others = contacts.filter(({ id }) => id !== contactId)
      if (others.length === contacts.length) return { refused: 'contact_not_found' }
      await transaction.connection.run(DELETE, [contactId])
      await arrange(
        transaction,
        others.map(({ id }) => id),
        now,
      )
      return { removed: true, noted: await told(transaction, userId, { type: 'removeContact', now, contactId }) }
    },
  },

  markContact: {
    moment: (_userId, _contactId, { now }) => now,
    sender: (userId) => userId,
    async run({ connection }, userId, contactId, { what, phone, now }) {
      const sql = `UPDATE contacts SET ${SAID[what]} WHERE id = $1 AND user_id = $2 AND phone = $3 AND $4::bigint >= 0`
      await connection.run(sql, [contactId, userId, phone, now])
    },
  },

  reorderContacts: {
    moment: (_userId, _order, now) => now,
    sender: (userId) => userId,
    async run(transaction, userId, order, now) {
      await lockOwner(transaction, userId)
      const contacts = await transaction.connection.rows<Contact>(CONTACTS_IN_ORDER, [userId])
      if (
        !isReorderOf(
          order,
          contacts.map(({ id }) => id),
        )
      )
        return { refused: 'not_a_reorder' }
      await arrange(transaction, order, now)
      return { reordered: true }
    },
  },
})
