import type { Application } from '../../../../core/account/application.ts'
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
import { contactsInOrder } from '../../shared/accounts.ts'
import { fromRow, insertSql, type Row, toRow, updateSql } from '../engine/row.ts'
import { type WriteContext, writesOf } from '../engine/write.ts'
import { incidentDoor } from '../incidents/change-incident.ts'

type Rules = NonNullable<ContactOwner['rules']>

function contactRows({ db, part }: WriteContext) {
  const inOrder = db.prepare<[string], Contact>(contactsInOrder('+?'))
  const rulesOf = db.prepare<[string], Row>(
    `SELECT language, allowed_prefixes AS allowedPrefixes FROM applications
     WHERE id = (SELECT app_id FROM users WHERE users.id = ?)`,
  )
  const insert = db.prepare<Row>(insertSql('contacts'))
  const update = db.prepare<Row>(updateSql('contacts'))
  const remove = db.prepare<[string]>('DELETE FROM contacts WHERE id = ?')
  const rulesFrom = fromRow<Pick<Application, keyof Rules>>('applications')
  const rowOf = toRow<Contact>('contacts')
  const { changeIncident } = part(incidentDoor)
  return {
    load(userId: string): ContactOwner {
      const rules = rulesOf.get(userId)
      return { userId, rules: rules === undefined ? null : rulesFrom(rules), contacts: inOrder.all(userId) }
    },

    /** Returns the change to the user's open incident. */
    save(userId: string, changes: ChangedContacts): Committed | null {
      if (changes.insert !== undefined) insert.run(rowOf(changes.insert))
      if (changes.remove !== undefined) remove.run(changes.remove)
      for (const contact of changes.update ?? []) update.run(rowOf(contact))
      if (changes.tell === undefined) return null
      const committed = changeIncident({ openOf: userId }, changes.tell)
      return committed.verdict === 'unchanged' ? null : committed
    },
  }
}

/** Emergency contacts. Priorities are always 1..n without gaps. */
export const contactWrites = writesOf<ContactStore>()(contactRows, {
  addContact: {
    moment: (_userId, { now }) => now,
    sender: (userId) => userId,
    run({ load, save }, userId, contact) {
      const decided = decideAddContact(load(userId), contact)
      return 'refused' in decided ? decided : { contact: decided.insert, joined: save(userId, decided) }
    },
  },

  updateContact: {
    moment: (_userId, _contactId, _sent, now) => now,
    sender: (userId) => userId,
    run({ load, save }, userId, contactId, sent, now, by) {
      const decided = decideUpdateContact(load(userId), contactId, sent, now, by)
      return 'refused' in decided ? decided : { contact: decided.contact, corrected: save(userId, decided) }
    },
  },

  removeContact: {
    moment: (_userId, _contactId, now) => now,
    sender: (userId) => userId,
    run({ load, save }, userId, contactId, now, by) {
      const decided = decideRemoveContact(load(userId), contactId, now, by)
      return 'refused' in decided ? decided : { removed: true, noted: save(userId, decided) }
    },
  },

  markContact: {
    moment: (_userId, _contactId, { now }) => now,
    sender: (userId) => userId,
    run: ({ load, save }, userId, contactId, said) =>
      void save(userId, decideMarkContact(load(userId), contactId, said)),
  },

  reorderContacts: {
    moment: (_userId, _order, now) => now,
    sender: (userId) => userId,
    run({ load, save }, userId, order, now) {
      const decided = decideReorderContacts(load(userId), order, now)
      if ('refused' in decided) return decided
      save(userId, decided)
      return { reordered: true }
    },
  },
})
