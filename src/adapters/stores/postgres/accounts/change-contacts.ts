import type { Contact } from '../../../../core/account/contact.ts'
import {
  type ChangedContacts,
  type ContactOwner,
  decideAddContact,
  decideMarkContact,
  decideRemoveContact,
  decideReorderContacts,
  decideUpdateContact,
} from '../../../../core/incident/decide-contact.ts'
import type { Committed, ContactStore } from '../../../../ports/store.ts'
import { insertSql, updateSql } from '../engine/row.ts'
import { lockOwner, type Transaction, writesOf } from '../engine/write.ts'
import { changeIncidentIn } from '../incidents/door.ts'
import { CONTACTS_IN_ORDER } from './read-accounts.ts'

const RULES = `SELECT language, allowed_prefixes AS "allowedPrefixes" FROM applications
  WHERE id = (SELECT app_id FROM users WHERE id = $1)`
const INSERT = insertSql('contacts')
const UPDATE = updateSql('contacts')
const REMOVE = 'DELETE FROM contacts WHERE id = $1'

/** Locks the user: all changes of one user's contacts and of their incidents take turns. */
async function load(transaction: Transaction, userId: string): Promise<ContactOwner> {
  const { connection } = transaction
  await lockOwner(transaction, userId)
  const [[rules], contacts] = await Promise.all([
    connection.rows<NonNullable<ContactOwner['rules']>>(RULES, [userId]),
    connection.rows<Contact>(CONTACTS_IN_ORDER, [userId]),
  ])
  return { userId, rules: rules ?? null, contacts }
}

/** Returns the change to the user's open incident. */
async function save(transaction: Transaction, userId: string, changes: ChangedContacts): Promise<Committed | null> {
  const { connection } = transaction
  const { insert, update = [], remove, tell } = changes
  if (insert !== undefined) await connection.run(INSERT, [JSON.stringify([insert])])
  if (remove !== undefined) await connection.run(REMOVE, [remove])
  if (update.length > 0) await connection.run(UPDATE, [JSON.stringify(update)])
  if (tell === undefined) return null
  const committed = await changeIncidentIn(transaction, { key: { openOf: userId }, command: tell })
  return committed.verdict === 'unchanged' ? null : committed
}

/** Emergency contacts. Priorities are always 1..n without gaps. */
export const contactWrites = writesOf<ContactStore>()({
  addContact: {
    moment: (_userId, { now }) => now,
    sender: (userId) => userId,
    async run(transaction, userId, contact) {
      const decided = decideAddContact(await load(transaction, userId), contact)
      if ('refused' in decided) return decided
      return { contact: decided.insert, joined: await save(transaction, userId, decided) }
    },
  },

  updateContact: {
    moment: (_userId, _contactId, _sent, now) => now,
    sender: (userId) => userId,
    async run(transaction, userId, contactId, sent, now, by) {
      const decided = decideUpdateContact(await load(transaction, userId), contactId, sent, now, by)
      if ('refused' in decided) return decided
      return { contact: decided.contact, corrected: await save(transaction, userId, decided) }
    },
  },

  removeContact: {
    moment: (_userId, _contactId, now) => now,
    sender: (userId) => userId,
    async run(transaction, userId, contactId, now, by) {
      const decided = decideRemoveContact(await load(transaction, userId), contactId, now, by)
      return 'refused' in decided ? decided : { removed: true, noted: await save(transaction, userId, decided) }
    },
  },

  markContact: {
    moment: (_userId, _contactId, { now }) => now,
    sender: (userId) => userId,
    async run(transaction, userId, contactId, said) {
      await save(transaction, userId, decideMarkContact(await load(transaction, userId), contactId, said))
    },
  },

  reorderContacts: {
    moment: (_userId, _order, now) => now,
    sender: (userId) => userId,
    async run(transaction, userId, order, now) {
      const decided = decideReorderContacts(await load(transaction, userId), order, now)
      if ('refused' in decided) return decided
      await save(transaction, userId, decided)
      return { reordered: true }
    },
  },
})
