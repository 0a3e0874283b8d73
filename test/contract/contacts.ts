import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { suite, test } from 'node:test'
import { updateApplication } from '../../src/app/operator/applications.ts'
import type { Contact } from '../../src/core/account/contact.ts'
import { COMMAND } from '../../src/core/operator/audit.ts'
import type { Committed, Store } from '../../src/ports/store.ts'
import { momentAt } from '../core/build.ts'
import { eventTypes, incidentOf, type StoreUnderTest, siteIn } from './site.ts'

const phone = '+4366012345678'

/** The names in order. Checks that the priorities are 1..n without gaps. */
async function order(store: Store, userId: string): Promise<readonly string[]> {
  const contacts = await store.contacts(userId)
  assert.deepEqual(
    contacts.map(({ priority }) => priority),
    contacts.map((_, index) => index + 1),
  )
  return contacts.map(({ name }) => name)
}

const called = (contacts: readonly Contact[], name: string): Contact =>
  contacts.find((contact) => contact.name === name)!

/** protocol.md#contacts, rules.md#contacts. */
export function contactContract(subject: StoreUnderTest): void {
  suite('emergency contacts', () => {
    test('a contact is stored as given, in the application’s language unless it has its own', async (t) => {
      const { store, user } = await siteIn(subject, t)
      const id = randomUUID()
      const fields = { name: 'Ana', phone, email: 'ana@example.org', language: 'pt-BR' }
      const added = await store.addContact(user.id, { id, fields, now: momentAt(0), limit: 10 })
      const times = {
        verifiedAt: null,
        declinedAt: null,
        stoppedAt: null,
        createdAt: momentAt(0),
        updatedAt: momentAt(0),
      }
      const contact = { ...fields, id, userId: user.id, priority: 1, ...times }
      assert.deepEqual(added, { contact, joined: null })
      assert.deepEqual(await store.contacts(user.id), [contact])
      await user.adds('Ben')
      const ben = called(await store.contacts(user.id), 'Ben')
      assert.deepEqual([ben.language, ben.email], ['de', null])
    })

    test('any contact of some applications is found, and whose it is', async (t) => {
      const site = await siteIn(subject, t)
      const { store, application } = site
      const elsewhere = await site.newApplication('Elsewhere')
      const skier = await site.newUser('skier-1', elsewhere.id)
      const both = [application.id, elsewhere.id]
      assert.equal(await store.anyContact(both), null)
      await skier.adds('Ana')
      assert.deepEqual(await store.anyContact(both), { name: 'Ana', externalUserId: 'skier-1' })
      assert.equal(await store.anyContact([application.id]), null)
      assert.equal(await store.anyContact([]), null)
    })

    test('a number outside the application’s country prefixes is refused when saved; stored contacts stay', async (t) => {
      const { store, user, application } = await siteIn(subject, t)
      const adds = (name: string, phone: string) =>
        store.addContact(user.id, { id: randomUUID(), fields: { name, phone }, now: momentAt(0), limit: 10 })
      await adds('Ana', '+12025550123')
      await store.updateApplication(application.id, { allowedPrefixes: ['+43', '+49'] })
      const refused = { refused: 'phone_not_allowed' }
      assert.deepEqual(await adds('Ben', '+420601123456'), refused)
      await adds('Cleo', '+436601234567')
      const [ana, cleo] = await store.contacts(user.id)
      assert.deepEqual(await store.updateContact(user.id, cleo!.id, { phone: '+33612345678' }, momentAt(1)), refused)
      assert.deepEqual((await store.contacts(user.id))[1], cleo)
      const renamed = await store.updateContact(user.id, ana!.id, { name: 'Anna' }, momentAt(1))
      assert.deepEqual(renamed, { contact: { ...ana, name: 'Anna', updatedAt: momentAt(1) }, corrected: null })
    })

    test('a priority means: insert at this place', async (t) => {
      const { store, user } = await siteIn(subject, t)
      for (const name of ['Ana', 'Ben', 'Cem']) await user.adds(name)
      await user.adds('Dia', 1, 2)
      await user.adds('Eva', 2, 99)
      assert.deepEqual(await order(store, user.id), ['Ana', 'Dia', 'Ben', 'Cem', 'Eva'])
      const contacts = await store.contacts(user.id)
      assert.equal(called(contacts, 'Ana').updatedAt, momentAt(-800))
      assert.equal(called(contacts, 'Ben').updatedAt, momentAt(1))
      const moved = await store.updateContact(user.id, called(contacts, 'Eva').id, { priority: 1 }, momentAt(3))
      assert.equal('contact' in moved && moved.contact.priority, 1)
      assert.deepEqual(await order(store, user.id), ['Eva', 'Ana', 'Dia', 'Ben', 'Cem'])
    })

    test('contacts added in parallel get distinct places', async (t) => {
      const { store, user } = await siteIn(subject, t)
      await Promise.all(['Ana', 'Ben', 'Cem', 'Dia'].map((name) => user.adds(name, 0, 1)))
      assert.deepEqual(await order(store, user.id), ['Dia', 'Cem', 'Ben', 'Ana'])
    })

    test('the limit holds, also for contacts added in parallel', async (t) => {
      const { store, user } = await siteIn(subject, t)
      const adding = (name: string) =>
        store.addContact(user.id, { id: randomUUID(), fields: { name, phone }, now: momentAt(0), limit: 2 })
      const added = await Promise.all(['Ana', 'Ben', 'Cem'].map(adding))
      assert.deepEqual(added[2], { refused: 'contact_limit' })
      assert.deepEqual(await order(store, user.id), ['Ana', 'Ben'])
    })

    test('an update changes only what was sent', async (t) => {
      const { store, user } = await siteIn(subject, t, { contacts: ['Ana', 'Ben'] })
      const [ana] = await store.contacts(user.id)
      const given = { name: 'Anna', email: 'ana@example.org', language: 'fr' }
      const updated = await store.updateContact(user.id, ana!.id, given, momentAt(1))
      assert.deepEqual(updated, { contact: { ...ana, ...given, updatedAt: momentAt(1) }, corrected: null })
      const cleared = await store.updateContact(user.id, ana!.id, { email: null, language: null }, momentAt(2))
      const contact = { ...ana, name: 'Anna', email: null, language: 'de', updatedAt: momentAt(2) }
      assert.deepEqual(cleared, { contact, corrected: null })
      assert.deepEqual((await store.contacts(user.id))[0], contact)
    })

    test('a removed contact leaves no gap', async (t) => {
      const { store, user } = await siteIn(subject, t, { contacts: ['Ana', 'Ben', 'Cem'] })
      const ben = called(await store.contacts(user.id), 'Ben')
      assert.deepEqual(await store.removeContact(user.id, ben.id, momentAt(1)), {
        removed: true,
        noted: null,
      })
      assert.deepEqual(await order(store, user.id), ['Ana', 'Cem'])
      assert.deepEqual(await store.removeContact(user.id, ben.id, momentAt(2)), { refused: 'contact_not_found' })
    })

    test('a reorder names every contact exactly once, or changes nothing', async (t) => {
      const site = await siteIn(subject, t, { contacts: ['Ana', 'Ben', 'Cem'] })
      const { store, user } = site
      const other = await site.newUser('hiker-2')
      const foreign = await other.adds('Dia')
      const [ana, ben, cem] = (await store.contacts(user.id)).map(({ id }) => id) as [string, string, string]
      const refused = await store.reorderContacts(user.id, [ana, ben, foreign], momentAt(1))
      assert.deepEqual(refused, { refused: 'not_a_reorder' })
      assert.deepEqual(await order(store, user.id), ['Ana', 'Ben', 'Cem'])
      assert.deepEqual(await store.reorderContacts(user.id, [cem, ben, ana], momentAt(2)), { reordered: true })
      assert.deepEqual(await order(store, user.id), ['Cem', 'Ben', 'Ana'])
      const contacts = await store.contacts(user.id)
      assert.equal(called(contacts, 'Cem').updatedAt, momentAt(2))
      assert.equal(called(contacts, 'Ben').updatedAt, momentAt(-800))
    })

    test('other users’ contacts cannot be changed', async (t) => {
      const site = await siteIn(subject, t, { contacts: ['Ana'] })
      const { store, user } = site
      const other = await site.newUser('hiker-2')
      const [ana] = await store.contacts(user.id)
      const refused = { refused: 'contact_not_found' }
      assert.deepEqual(await store.updateContact(other.id, ana!.id, { name: 'X' }, momentAt(1)), refused)
      assert.deepEqual(await store.removeContact(other.id, ana!.id, momentAt(1)), refused)
      assert.deepEqual(await store.contacts(user.id), [ana])
    })

    test('a contact added while an incident is active joins it in the same commit', async (t) => {
      const { store, user } = await siteIn(subject, t, { contacts: ['Ana'] })
      await user.presses(0)
      const fields = { name: 'Ben', phone, priority: 1 }
      const added = await store.addContact(user.id, { id: randomUUID(), fields, now: momentAt(5), limit: 10 })
      assert.ok('joined' in added && added.joined !== null)
      const { joined } = added
      assert.deepEqual(eventTypes(joined), ['sos.actuator_update'])
      assert.equal(incidentOf(joined).snapshotVersion, 2)
      assert.deepEqual(
        incidentOf(joined).contacts.map(({ name }) => name),
        ['Ana', 'Ben'],
      )
      assert.deepEqual((await store.openIncident(user.id))?.incident, joined.incident)
      assert.deepEqual(await order(store, user.id), ['Ben', 'Ana'])
    })

    test('a contact joins nothing once the incident is acknowledged or closed', async (t) => {
      const { store, user } = await siteIn(subject, t, { contacts: ['Ana'] })
      const { contacts } = incidentOf(await user.presses(0))
      const answered = await user.does(20, { type: 'acknowledge', contactId: contacts[0]!.contactId })
      const fields = { name: 'Ben', phone }
      await store.addContact(user.id, { id: randomUUID(), fields, now: momentAt(25), limit: 10 })
      assert.deepEqual((await store.openIncident(user.id))?.incident.contacts, incidentOf(answered).contacts)
      await user.does(30, { type: 'resolve' })
      const late = await store.addContact(user.id, { id: randomUUID(), fields, now: momentAt(35), limit: 10 })
      assert.equal('joined' in late && late.joined, null)
    })

    // sms.md#wrong-number.
    test('what a contact says of messages is kept while the number is theirs, and a confirmation takes it back', async (t) => {
      const { store, user } = await siteIn(subject, t, { contacts: ['Ana', 'Ben'] })
      const [ana, ben] = await store.contacts(user.id)
      const marks = (what: 'stop' | 'stranger' | 'start', seconds: number, number = phone) =>
        store.markContact(user.id, ana!.id, { what, phone: number, now: momentAt(seconds) })
      const state = async () => {
        const [first, second] = await store.contacts(user.id)
        assert.deepEqual(second, ben, 'and no other one with that number')
        return [first?.stoppedAt, first?.declinedAt]
      }
      await marks('stop', 1, '+4366099999999')
      await store.markContact(randomUUID(), ana!.id, { what: 'stop', phone, now: momentAt(1) })
      assert.deepEqual(await state(), [null, null])
      await marks('stop', 2)
      assert.deepEqual(await state(), [momentAt(2), null])
      const raised = incidentOf(await user.presses(3))
      assert.deepEqual(
        raised.contacts.map(({ name, isStopped }) => [name, isStopped]),
        [
          ['Ben', undefined],
          ['Ana', true],
        ],
      )
      await marks('stranger', 4)
      assert.deepEqual(await state(), [momentAt(2), momentAt(4)])
      await marks('start', 5)
      assert.deepEqual(await state(), [null, null])
      await marks('stop', 6)
      const token = 'a'.repeat(22)
      await store.requestVerification(user.id, ana!.id, { token, now: momentAt(7), perDay: 10 })
      await store.answerVerification(token, 'confirmed', momentAt(8))
      assert.deepEqual(await state(), [null, null])
      await marks('stop', 9)
      await store.updateContact(user.id, ana!.id, { phone: '+4366099999999' }, momentAt(10))
      assert.deepEqual(await state(), [null, null])
    })

    // rules.md#position-access.
    test('an open incident knows in the same commit which contacts the own session changed', async (t) => {
      const { store, user } = await siteIn(subject, t, { contacts: ['Ana'] })
      await user.presses(0)
      const [ana] = await store.contacts(user.id)
      const fields = { name: 'Mallory', phone }
      const about = { id: randomUUID(), fields, now: momentAt(5), limit: 10 }
      const added = await store.addContact(user.id, { ...about, bySession: true })
      assert.ok('joined' in added && added.joined !== null)
      assert.deepEqual(incidentOf(added.joined).contacts.at(-1)?.joined, { by: 'session' })
      const removed = await store.removeContact(user.id, ana!.id, momentAt(6))
      assert.ok('noted' in removed && removed.noted !== null)
      const stored = (await store.openIncident(user.id))!.incident
      assert.deepEqual(stored, removed.noted.incident)
      assert.deepEqual([stored.contacts[0]?.removedAt, stored.contactsChangedAt], [momentAt(6), momentAt(5)])
      const now = momentAt(7)
      await user.does(7, { type: 'showPosition', contactId: about.id, by: null, name: 'Eva' })
      const { joined } = (await store.openIncident(user.id))!.incident.contacts.at(-1)!
      assert.deepEqual(joined, { by: 'session', shown: { at: now, contactId: null, name: 'Eva' } })
    })

    // rules.md#position-access.
    test('what an operator corrects or removes is no change from the person’s phone', async (t) => {
      const { store, user } = await siteIn(subject, t, { contacts: ['Ana', 'Ben'] })
      await user.presses(0)
      const [ana, ben] = await store.contacts(user.id)
      const updated = await store.updateContact(user.id, ana!.id, { phone: '+4366099999999' }, momentAt(1), 'operator')
      assert.equal('corrected' in updated && updated.corrected?.verdict, 'changed')
      const removed = await store.removeContact(user.id, ben!.id, momentAt(2), 'operator')
      assert.ok('noted' in removed && removed.noted !== null)
      const { contacts, contactsChangedAt } = (await store.openIncident(user.id))!.incident
      assert.equal(contactsChangedAt, undefined)
      assert.deepEqual(
        contacts.map(({ phone: number, joined, removedByOperator }) => [number, joined, removedByOperator]),
        [
          ['+4366099999999', undefined, undefined],
          [phone, undefined, true],
        ],
      )
    })

    test('a corrected contact is corrected in an open incident; a removed one stays in it', async (t) => {
      const { store, user } = await siteIn(subject, t, { contacts: ['Ana'] })
      await user.presses(0)
      const [ana] = await store.contacts(user.id)
      const updated = await store.updateContact(user.id, ana!.id, { phone: '+4366099999999' }, momentAt(1))
      assert.ok('corrected' in updated)
      // The snapshot does not show the number, so there is nothing to announce.
      assert.deepEqual([updated.corrected?.verdict, updated.corrected?.events], ['changed', []])
      const renamed = await store.updateContact(user.id, ana!.id, { name: 'Anna' }, momentAt(2))
      assert.equal('corrected' in renamed && renamed.corrected?.events.length, 1)
      await store.removeContact(user.id, ana!.id, momentAt(3))
      const [entry] = (await store.openIncident(user.id))!.incident.contacts
      assert.deepEqual([entry?.name, entry?.phone], ['Anna', '+4366099999999'])
    })

    test('a fallback contact who is set or corrected counts in the open incidents of the application, and in no other', async (t) => {
      const site = await siteIn(subject, t, { contacts: ['Ana'] })
      const { store, user, application } = site
      const alone = await site.newUser('alone')
      const answered = await site.newUser('answered')
      const closed = await site.newUser('closed')
      const elsewhere = await site.newUser('elsewhere', (await site.newApplication('Other')).id)
      const all = [user, alone, answered, closed, elsewhere]
      for (const one of all) await one.presses(0)
      await closed.does(10, { type: 'cancel' })
      await answered.does(10, { type: 'acknowledge', contactId: null })
      const announced: Committed[] = []
      const announce = (committed: Committed) => void announced.push(committed)
      const given = (phone: string, seconds: number) => {
        const by = { actor: COMMAND, address: null, now: momentAt(seconds) }
        return updateApplication({ store, announce }, application.id, { fallbackContact: { name: 'Desk', phone } }, by)
      }
      const known = async () => {
        const incidents = await Promise.all(all.map(({ id }) => store.openIncident(id)))
        return incidents.map((record) => record?.incident.contacts.map(({ name, phone: at }) => `${name} ${at}`))
      }

      await given('+43512000', 20)
      const ana = `Ana ${phone}`
      assert.deepEqual(await known(), [[ana, 'Desk +43512000'], ['Desk +43512000'], [], undefined, []])
      assert.deepEqual(announced.map(eventTypes), [['sos.actuator_update'], ['sos.actuator_update']])
      // Nobody was to be told: now somebody is.
      const { claimed } = await alone.does(20, { type: 'proceed', inFlight: [] })
      assert.deepEqual(
        claimed.map(({ channel, to }) => [channel, to]),
        [['sms', '+43512000']],
      )
      await given('+43512111', 30)
      assert.deepEqual(await known(), [[ana, 'Desk +43512111'], ['Desk +43512111'], [], undefined, []])
      assert.equal((await alone.does(90, { type: 'proceed', inFlight: [] })).claimed[0]?.to, '+43512111')
    })
  })
}
