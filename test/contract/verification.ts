import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { suite, test } from 'node:test'
import type { Contact } from '../../src/core/account/contact.ts'
import type { Store } from '../../src/ports/store.ts'
import { momentAt } from '../core/build.ts'
import { appOn, asks, invitationTo } from './enrolment.ts'
import { type StoreUnderTest, siteIn } from './site.ts'

const DAY_S = 24 * 3600
const PHONE = '+436641234567'

/** Asks for a contact, with the limits of the rules. `seconds`: from the press of the core's stories. */
const asking =
  (store: Store, perDay = 100) =>
  (userId: string, contactId: string, seconds: number) =>
    store.requestVerification(userId, contactId, {
      token: `token-${randomUUID()}`.slice(0, 22),
      now: momentAt(seconds),
      perDay,
    })

async function addContact(store: Store, userId: string, phone = PHONE): Promise<Contact> {
  const fields = { name: 'Ana', phone }
  const added = await store.addContact(userId, { id: randomUUID(), fields, now: momentAt(0), limit: 10 })
  assert.ok('contact' in added)
  return added.contact
}

/** preparing.md#verification. */
export function verificationContract(subject: StoreUnderTest): void {
  suite('verification of contacts', () => {
    test('an application says whether new contacts are asked; it does not unless told so', async (t) => {
      const { store, application } = await siteIn(subject, t)
      const stored = async () => (await store.application(application.id))?.verifyContacts
      assert.equal(await stored(), false)
      await store.updateApplication(application.id, { verifyContacts: true })
      assert.equal(await stored(), true)
      await store.updateApplication(application.id, { name: 'Refuge' })
      assert.equal(await stored(), true)
    })

    test('an application that uses up what the site allows leaves others their share', async (t) => {
      const site = await siteIn(subject, t)
      const { store, user } = site
      const ask = asking(store, 2)
      const asked = async (userId: string, seconds: number, phone: string) =>
        ask(userId, (await addContact(store, userId, phone)).id, seconds)
      assert.deepEqual(await asked(user.id, 1, '+436641111111'), { verdict: 'asked' })
      assert.deepEqual(await asked(user.id, 2, '+436641111112'), { verdict: 'asked' })
      const refused = { refused: 'verification_limit', retryAfterMs: 24 * 3_600_000 }
      assert.deepEqual(await asked(user.id, 3, '+436641111113'), refused)
      const elsewhere = await site.newUser('elsewhere', (await site.newApplication('Elsewhere')).id)
      assert.deepEqual(await asked(elsewhere.id, 4, '+436641111114'), { verdict: 'asked' })
      assert.deepEqual(await asked(elsewhere.id, 5, '+436641111115'), refused)
    })

    test('all users of one invitation together have 50 contacts asked in a day, each of them three', async (t) => {
      const site = await siteIn(subject, t)
      const { store } = site
      const ask = asking(store, 1000)
      await appOn(site)
      const invitations = [0, 1].map(() => invitationTo(site, { kind: 'poster', places: 100 }))
      for (const invitation of invitations) await store.inviteToApp(invitation)
      let number = 0
      /** A new user of the invitation, who asks as many contacts as they may. */
      const asksAll = async (invitation: (typeof invitations)[number], hour: number) => {
        const enrolled = await store.enrol(asks(invitation, undefined, momentAt(hour * 3600)))
        assert.ok('user' in enrolled)
        for (let asked = 0; ; asked += 1) {
          number += 1
          const contact = await addContact(store, enrolled.user.id, `+43664${1_000_000 + number}`)
          const verdict = await ask(enrolled.user.id, contact.id, 3600 + number)
          if ('refused' in verdict) return asked
        }
      }
      const [poster, other] = invitations
      const asked: number[] = []
      for (let user = 0; user < 17; user += 1) asked.push(await asksAll(poster!, 0))
      assert.deepEqual(asked, [...Array.from({ length: 16 }, () => 3), 2])
      assert.equal(await asksAll(other!, 0), 3)
      // What a stranger has asked keeps no contact of somebody else from being asked.
      const strangers = await Promise.all([1, 2].map(() => store.enrol(asks(other!, undefined, momentAt(0)))))
      const [one, two] = strangers.map((enrolled) => ('user' in enrolled ? enrolled.user.id : assert.fail()))
      const verdicts: unknown[] = []
      for (const userId of [one!, site.user.id, two!])
        verdicts.push(await ask(userId, (await addContact(store, userId)).id, 9000))
      assert.deepEqual(verdicts, [{ verdict: 'asked' }, { verdict: 'asked' }, { verdict: 'withheld' }])
    })

    test('a request waits until it is claimed, once; the answer stays with the contact until the number changes', async (t) => {
      const { store, user, application } = await siteIn(subject, t)
      const contact = await addContact(store, user.id)
      const token = 'a-token-of-22-letters-'
      const asked = { token, now: momentAt(1), perDay: 100 }
      assert.deepEqual(await store.requestVerification(user.id, contact.id, asked), { verdict: 'asked' })
      const due = await store.claimVerification(momentAt(2), null)
      const to = { id: contact.id, phone: PHONE, language: 'de' }
      assert.deepEqual(due, { token, requestedAt: momentAt(1), appId: application.id, userId: user.id, contact: to })
      assert.equal(await store.claimVerification(momentAt(2), null), null)
      await store.releaseVerification(token)
      assert.equal(await store.claimVerification(momentAt(3), { requestedAt: momentAt(1), token }), null)
      assert.equal((await store.claimVerification(momentAt(3), null))?.token, token)

      const link = { appId: application.id, userId: user.id, requestedAt: momentAt(1), language: 'de' }
      assert.deepEqual(await store.verification(token), { ...link, isCurrent: true, answer: null })
      assert.equal(await store.verification('another-token-of-ours-'), null)
      const answer = (what: 'confirmed' | 'declined', seconds: number) =>
        store.answerVerification(token, what, momentAt(seconds))
      const stored = async () => {
        const [{ verifiedAt, declinedAt } = contact] = await store.contacts(user.id)
        return [verifiedAt, declinedAt]
      }
      assert.deepEqual(await answer('declined', 4), { answered: true })
      assert.deepEqual(await stored(), [null, momentAt(4)])
      assert.deepEqual(await answer('confirmed', 5), { answered: true })
      assert.deepEqual(await stored(), [momentAt(5), null])
      const again = { token: 'yet-another-token-here', now: momentAt(9 * DAY_S), perDay: 100 }
      assert.deepEqual(await store.requestVerification(user.id, contact.id, again), { verdict: 'verified' })

      await store.updateContact(user.id, contact.id, { name: 'Anna', phone: PHONE }, momentAt(6))
      assert.deepEqual(await stored(), [momentAt(5), null])
      await store.updateContact(user.id, contact.id, { phone: '+436649999999' }, momentAt(7))
      assert.deepEqual(await stored(), [null, null])
      assert.deepEqual(await answer('confirmed', 8), { refused: 'link_expired' })
      assert.deepEqual(await stored(), [null, null])
      assert.deepEqual(await store.answerVerification('another-token-of-ours-', 'confirmed', momentAt(8)), {
        refused: 'unknown_link',
      })
    })

    test('a link does not work for a contact who is gone', async (t) => {
      const { store, user } = await siteIn(subject, t)
      const contact = await addContact(store, user.id)
      const token = 'a-token-of-22-letters-'
      await store.requestVerification(user.id, contact.id, { token, now: momentAt(0), perDay: 100 })
      await store.removeContact(user.id, contact.id, momentAt(2))
      assert.deepEqual(await store.answerVerification(token, 'confirmed', momentAt(3)), { refused: 'link_expired' })
      assert.equal((await store.verification(token))?.isCurrent, false)
      assert.equal(await store.claimVerification(momentAt(3), null), null)
    })

    test('the limits count the number: of one user also across contacts, of others without saying so', async (t) => {
      const site = await siteIn(subject, t)
      const { store, user } = site
      const ask = asking(store)
      const first = await addContact(store, user.id)
      assert.deepEqual(await ask(user.id, randomUUID(), 0), { refused: 'contact_not_found' })
      assert.deepEqual(await ask(user.id, first.id, 0), { verdict: 'asked' })
      await store.removeContact(user.id, first.id, momentAt(1))
      const second = await addContact(store, user.id)
      const tooSoon = { refused: 'verification_limit', retryAfterMs: (DAY_S - 10) * 1000 }
      assert.deepEqual(await ask(user.id, second.id, 10), tooSoon)

      const other = await site.newUser('hiker-2')
      const same = await addContact(store, other.id)
      assert.deepEqual(await ask(other.id, second.id, 10), { refused: 'contact_not_found' })
      assert.deepEqual(await ask(other.id, same.id, 20), { verdict: 'withheld' })
      assert.deepEqual(await ask(other.id, same.id, 30), {
        refused: 'verification_limit',
        retryAfterMs: (DAY_S - 10) * 1000,
      })
      assert.deepEqual(await ask(other.id, same.id, DAY_S + 20), { verdict: 'asked' })
      assert.deepEqual(await asking(store, 1)(user.id, second.id, DAY_S + 30), {
        refused: 'verification_limit',
        retryAfterMs: DAY_S * 1000,
      })
    })

    test('two users who name one number at the same time have it asked once', async (t) => {
      const site = await siteIn(subject, t)
      const { store } = site
      const users = await Promise.all(['a', 'b', 'c'].map((name) => site.newUser(name)))
      const contacts = await Promise.all(users.map(({ id }) => addContact(store, id)))
      const asked = await Promise.all(users.map(({ id }, nth) => asking(store)(id, contacts[nth]!.id, 0)))
      const verdicts = asked.map((one) => ('verdict' in one ? one.verdict : one.refused)).sort()
      assert.deepEqual(verdicts, ['asked', 'withheld', 'withheld'])
    })

    test('who does not know the user is alarmed last, before the fallback contact', async (t) => {
      const { store, user, application } = await siteIn(subject, t)
      const stranger = await addContact(store, user.id)
      const friend = await addContact(store, user.id, '+436647654321')
      await store.updateApplication(application.id, { fallbackContact: { name: 'Desk', phone: '+43512000' } })
      const token = 'a-token-of-22-letters-'
      await store.requestVerification(user.id, stranger.id, { token, now: momentAt(-20), perDay: 100 })
      await store.answerVerification(token, 'declined', momentAt(-10))
      const { incident } = await user.presses(0)
      const entries = incident!.contacts.map(({ contactId, name, priority, isStranger }) => [
        name === 'Desk' ? name : contactId,
        priority,
        isStranger,
      ])
      assert.deepEqual(entries, [
        [friend.id, 1, undefined],
        [stranger.id, 2, true],
        ['Desk', 3, undefined],
      ])
    })

    test('erasing a user erases the requests', async (t) => {
      const { store, user, application } = await siteIn(subject, t)
      const contact = await addContact(store, user.id)
      const token = 'a-token-of-22-letters-'
      await store.requestVerification(user.id, contact.id, { token, now: momentAt(0), perDay: 100 })
      const [{ externalUserId } = { externalUserId: '' }] = await store.users(application.id)
      assert.deepEqual(await store.eraseUser(application.id, externalUserId, 1000), { userId: user.id, done: true })
      assert.equal(await store.verification(token), null)
    })
  })
}
