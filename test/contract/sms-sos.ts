import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { suite, test } from 'node:test'
import type { RemovalText } from '../../src/core/account/removal-text.ts'
import { isOfSms, smsUserId } from '../../src/core/account/sms-user.ts'
import type { SmsAlert } from '../../src/ports/store.ts'
import { momentAt } from '../core/build.ts'
import { appOn, asks, invitationTo } from './enrolment.ts'
import { type Site, type StoreUnderTest, siteIn } from './site.ts'

const PHONE = '+436641234567'
const DAY_S = 24 * 3600

const ask = (site: Site, userId: string, seconds: number, code = '123456', perDay = 100, network = '192.0.2') =>
  site.store.requestPhoneCode(userId, {
    ...{ id: `code-${userId}-${seconds}`, code, network },
    ...{ now: momentAt(seconds), perDay },
  })
const textOf = (userId: string, seconds: number): RemovalText => ({
  ...{ id: `text-${seconds}`, userId, phone: null },
  asked: 'replaced',
  ...{ until: momentAt(seconds + 9), dueAt: momentAt(seconds) },
})
const prove = ({ store }: Site, userId: string, seconds: number, code = '123456') =>
  store.provePhone(userId, { code, smsCode: '4711', now: momentAt(seconds) }, [textOf(userId, seconds)])

/** sms.md#sms-sos, preparing.md#phone-proof. */
export function smsSosContract(subject: StoreUnderTest): void {
  suite('SOS by SMS', () => {
    test('an application takes it only if told so, and has the number that its users text', async (t) => {
      const { store, application } = await siteIn(subject, t)
      const stored = async () => {
        const found = await store.application(application.id)
        return [found?.smsSos, found?.smsNumber]
      }
      assert.deepEqual(await stored(), [false, null])
      await store.updateApplication(application.id, { smsSos: true, smsNumber: PHONE })
      assert.deepEqual(await stored(), [true, PHONE])
    })

    test('the user of a number is found under its own id, and in no other spelling', async (t) => {
      const { store, application } = await siteIn(subject, t)
      const own = smsUserId(PHONE)
      const wide = own.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)))
      const ids = [own, own.toUpperCase(), wide, `${own}\u200b`, `${own} `, `sms:${PHONE}`]
      assert.deepEqual(ids.map(isOfSms), [true, false, true, true, true, false])
      const found = new Set<string>()
      for (const externalUserId of ids) {
        const of = { appId: application.id, externalUserId, id: randomUUID(), now: momentAt(0) }
        found.add((await store.ensureUser(of)).id)
        assert.equal((await store.userByExternalId(application.id, externalUserId))?.externalUserId, externalUserId)
      }
      assert.equal(found.size, ids.length)
    })

    test('a number is proved by the newest code sent to it, and counts until its user proves another', async (t) => {
      const site = await siteIn(subject, t)
      const { store, user } = site
      assert.deepEqual(await ask(site, user.id, 0), { refused: 'no_phone' })
      await store.updateProfile(user.id, { phone: PHONE }, momentAt(0))
      assert.deepEqual(await ask(site, user.id, 1), { phone: PHONE })
      assert.deepEqual(await prove(site, user.id, 2, '000000'), { refused: 'wrong_code' })
      assert.equal(await store.phoneProof(user.id), null)
      const proof = { userId: user.id, phone: PHONE, provedAt: momentAt(3), takenAt: null, code: '4711' }
      assert.deepEqual(await prove(site, user.id, 3), { proof, takenFrom: null, replaced: null })
      assert.deepEqual(await store.phoneProof(user.id), proof)
      assert.deepEqual(await store.provedNumbers({ phone: PHONE }), [proof])
      assert.deepEqual(await store.provedNumbers({ ending: '6641234567' }), [proof])
      assert.deepEqual(await store.provedNumbers({ ending: '6641234568' }), [])
      assert.deepEqual(await store.changeSmsCode(user.id, '0815'), { ...proof, code: '0815' })
      assert.deepEqual(
        (await store.usersWithPhone(PHONE)).map(({ id }) => id),
        [user.id],
      )
      await store.setUserDisabled(site.application.id, 'hiker-1', true)
      assert.deepEqual(await store.provedNumbers({ phone: PHONE }), [])
      assert.deepEqual(await store.usersWithPhone(PHONE), [])
      await store.setUserDisabled(site.application.id, 'hiker-1', false)
      await store.updateProfile(user.id, { phone: '+436640000000' }, momentAt(4))
      const counts = async (phone: string) => (await store.provedNumbers({ phone })).length
      assert.equal(await counts(PHONE), 1, 'who holds the phone for a minute takes the number from nobody')
      await ask(site, user.id, 100)
      assert.deepEqual(await store.dueRemovalTexts(momentAt(999), 9), [])
      const other = await prove(site, user.id, 101)
      const told = { ...textOf(user.id, 101), phone: PHONE }
      assert.deepEqual(
        await store.dueRemovalTexts(momentAt(999), 9),
        [told],
        'the former number is told, in this commit',
      )
      assert.deepEqual('proof' in other && [other.proof.phone, other.replaced], ['+436640000000', PHONE])
      assert.deepEqual([await counts(PHONE), await counts('+436640000000')], [0, 1])
      const elsewhere = await site.newUser('elsewhere')
      assert.deepEqual(await store.changeSmsCode(elsewhere.id, '0815'), { refused: 'no_proof' })
    })

    test('a new proof takes the number from the user who had proved it', async (t) => {
      const site = await siteIn(subject, t)
      const { store } = site
      const [first, second] = [site.user, await site.newUser('second')]
      for (const { id } of [first, second]) await store.updateProfile(id, { phone: PHONE }, momentAt(0))
      await ask(site, first.id, 1)
      await prove(site, first.id, 2)
      await ask(site, second.id, 3, '654321')
      assert.deepEqual(await prove(site, second.id, 4), { refused: 'wrong_code' })
      const taken = await prove(site, second.id, 5, '654321')
      assert.ok('proof' in taken)
      assert.deepEqual([taken.takenFrom, taken.proof.userId], [first.id, second.id])
      assert.equal((await store.phoneProof(first.id))?.takenAt, momentAt(5))
      assert.deepEqual(
        (await store.provedNumbers({ phone: PHONE })).map(({ userId }) => userId),
        [second.id],
      )
      await store.eraseUser(site.application.id, 'second', 1000)
      assert.deepEqual(await store.provedNumbers({ phone: PHONE }), [])
    })

    test('codes are limited, a user, a number and the site', async (t) => {
      const site = await siteIn(subject, t)
      const { store, application } = site
      await store.updateApplication(application.id, { allowedPrefixes: ['+41'] })
      await store.updateProfile(site.user.id, { phone: PHONE }, momentAt(0))
      assert.deepEqual(await ask(site, site.user.id, 1), { refused: 'phone_not_allowed' })
      await store.updateApplication(application.id, { allowedPrefixes: ['+43'] })
      const limited = async (userId: string, seconds: number) => 'refused' in (await ask(site, userId, seconds))
      assert.deepEqual(await ask(site, site.user.id, 2), { phone: PHONE })
      assert.equal(await limited(site.user.id, 3), true)
      assert.equal(await limited(site.user.id, 120), false)
      const second = await site.newUser('second')
      await store.updateProfile(second.id, { phone: PHONE }, momentAt(0))
      assert.equal(await limited(second.id, 240), false)
      assert.equal(await limited(second.id, 360), true)
      assert.equal(await limited(second.id, 240 + DAY_S + 1), false)
      assert.deepEqual(await ask(site, second.id, 2 * DAY_S, '1', 1), {
        refused: 'code_limit',
        retryAfterMs: 3_600_000,
      })
    })

    test('the users of one invitation have three codes a day each, 100 together, and use up nobody else’s', async (t) => {
      const site = await siteIn(subject, t)
      const { store } = site
      await appOn(site)
      const poster = invitationTo(site, { kind: 'poster', places: 100 })
      await store.inviteToApp(poster)
      let number = 0
      const asksAll = async (hour: number): Promise<number> => {
        const enrolled = await store.enrol(asks(poster, undefined, momentAt(hour * 3600)))
        assert.ok('user' in enrolled)
        const { id } = enrolled.user
        number += 1
        await store.updateProfile(id, { phone: `+43664${1_000_000 + number}` }, momentAt(0))
        for (let sent = 0; ; sent += 1) if ('refused' in (await ask(site, id, 7200 + sent * 60, '1', 1000))) return sent
      }
      const sent: number[] = []
      for (let user = 0; user < 34; user += 1) sent.push(await asksAll(user < 17 ? 0 : 1))
      assert.deepEqual(sent, [...Array.from({ length: 33 }, () => 3), 1])
      await store.updateProfile(site.user.id, { phone: PHONE }, momentAt(0))
      assert.deepEqual(await ask(site, site.user.id, 7300, '1', 1000), { phone: PHONE })
    })

    test('strangers use up the codes of a number for strangers alone, and never for whoever has proved it', async (t) => {
      const site = await siteIn(subject, t)
      const { store } = site
      await appOn(site)
      const poster = invitationTo(site, { kind: 'poster', places: 9 })
      await store.inviteToApp(poster)
      const joins = async () => {
        const enrolled = await store.enrol(asks(poster))
        assert.ok('user' in enrolled)
        await store.updateProfile(enrolled.user.id, { phone: PHONE }, momentAt(0))
        return enrolled.user.id
      }
      const owner = await joins()
      await ask(site, owner, 1, '123456')
      await store.provePhone(owner, { code: '123456', smsCode: '4711', now: momentAt(2) })
      const [first, second] = [await joins(), await joins()]
      assert.deepEqual(await ask(site, first, 10), { phone: PHONE })
      assert.deepEqual(await ask(site, second, 10), { phone: PHONE })
      assert.ok('refused' in (await ask(site, first, 100)))
      assert.deepEqual(await ask(site, owner, 100), { phone: PHONE })
      // Whoever has the number, and has never proved it, asks from another network than those who use it up.
      const third = await joins()
      const from = async (network: string, seconds: number) =>
        'phone' in (await ask(site, third, seconds, '123456', 100, network))
      assert.deepEqual([await from('192.0.2', 100), await from('198.51.100', 100)], [false, true])
      assert.deepEqual([await from('198.51.100', 200), await from('203.0.113', 200)], [false, true])
      assert.equal(await from('2001:db8:1', 300), false, 'six to a number, with two of the owner')
      await store.updateProfile(site.user.id, { phone: PHONE }, momentAt(0))
      for (const seconds of [200, 300, 400]) assert.deepEqual(await ask(site, site.user.id, seconds), { phone: PHONE })
      assert.ok('refused' in (await ask(site, site.user.id, 500)))
    })

    test('a text is noted once, and old ones are forgotten', async (t) => {
      const { store, user } = await siteIn(subject, t)
      const alert = (id: string, seconds: number, more: Partial<SmsAlert> = {}): SmsAlert => ({
        ...{ id, phone: PHONE, userId: user.id, incidentId: 'one', at: momentAt(seconds) },
        ...{ receivedAt: momentAt(seconds), coded: false, endCode: null, answer: 'none', endedAt: null },
        ...{ talk: null, ...more },
      })
      const first = alert('a', 0)
      assert.deepEqual(await store.noteSmsAlert(first), first)
      assert.deepEqual(await store.noteSmsAlert(alert('a', 5, { coded: true })), first)
      await store.noteSmsAlert(alert('b', 9, { coded: true }))
      await store.updateSmsAlert('a', { incidentId: 'two', answer: 'sent', endCode: '1234', endedAt: momentAt(3) })
      await store.updateSmsAlert('unknown', { answer: 'sent' })
      const told = { version: 1, operator: { told: 2, at: [momentAt(9)] }, contact: { told: 0, at: [] }, stopped: true }
      assert.equal(await store.changeSmsTalk('a', { ...told, version: 2 }), false)
      assert.equal(await store.changeSmsTalk('a', told), true)
      assert.equal(await store.changeSmsTalk('a', told), false, 'another node was first')
      assert.equal(await store.changeSmsTalk('unknown', told), false)
      const changed = { ...first, incidentId: 'two', answer: 'sent', endCode: '1234', endedAt: momentAt(3), talk: told }
      assert.deepEqual(await store.smsAlerts(PHONE, momentAt(-1)), [alert('b', 9, { coded: true }), changed])
      assert.deepEqual(await store.smsAnswers(momentAt(-1)), { sent: 2, held: 0 })
      assert.deepEqual(await store.smsAnswers(momentAt(1)), { sent: 0, held: 0 })
      await store.noteSmsAlert(alert('c', 9 * DAY_S))
      assert.deepEqual(
        (await store.smsAlerts(PHONE, momentAt(-1))).map(({ id }) => id),
        ['c'],
      )
    })
  })
}
