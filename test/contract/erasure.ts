import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { suite, test } from 'node:test'
import type { Notice, Store } from '../../src/ports/store.ts'
import { momentAt } from '../core/build.ts'
import { until } from '../harness/wait.ts'
import { at, incidentOf, type Site, type SiteUser, type StoreUnderTest, siteIn } from './site.ts'

async function erase({ store, application }: Site, externalUserId: string, max = 100) {
  for (let batches = 1; ; batches += 1) {
    const batch = await store.eraseUser(application.id, externalUserId, max)
    if ('refused' in batch || batch.done) return { ...batch, batches }
  }
}

const text = (incidentId: string, to: string) => ({
  attemptId: randomUUID(),
  incidentId,
  contactId: 'ana',
  channel: 'sms' as const,
  to,
  text: 'Mia needs help',
  createdAt: momentAt(1),
})

/** A past incident with a text, a device, feedback and a dead letter. */
async function live(store: Store, user: SiteUser, name: string) {
  await user.adds(`Ana of ${name}`)
  await user.pairs(`tracker of ${name}`)
  const incident = incidentOf(await user.presses(0, at(47)))
  await user.sends(1, at(48))
  await store.addToOutbox(text(incident.id, '+4366012345678'))
  await user.does(5, { type: 'cancel' })
  const feedback = { id: randomUUID(), userId: user.id, message: 'Good', category: null, rating: null }
  await store.addFeedback({ ...feedback, createdAt: momentAt(6) })
  const letter = { userId: user.id, topic: `tel/${user.id}/data`, reason: 'no JSON object' }
  await store.addDeadLetter({ ...letter, payload: Buffer.from('?'), receivedAt: momentAt(7) })
  return incident
}

/** Everything stored about a user, as far as the port shows it. */
async function keptOf(store: Store, { id }: SiteUser) {
  const [history, telemetry] = await Promise.all([
    store.history(id, { after: null, limit: 10 }),
    store.telemetryHistory(id, { after: null, limit: 100, from: null, to: null }),
  ])
  assert.ok('items' in history && 'items' in telemetry)
  return {
    user: await store.user(id),
    contacts: (await store.contacts(id)).length,
    devices: (await store.devices(id)).length,
    incidents: history.items.length,
    telemetry: telemetry.items.length,
    letters: (await store.deadLetters()).filter(({ userId }) => userId === id).length,
  }
}

const nothing = { user: null, contacts: 0, devices: 0, incidents: 0, telemetry: 0, letters: 0 }

export function erasureContract(subject: StoreUnderTest): void {
  suite('erasing a user', () => {
    test('leaves nothing of that user, and everything of the others', async (t) => {
      const site = await siteIn(subject, t)
      const { store, user, application } = site
      const other = await site.newUser('hiker-2')
      const { id, contacts } = await live(store, user, 'hiker-1')
      const others = await live(store, other, 'hiker-2')
      const before = await keptOf(store, other)

      const erased = await erase(site, 'hiker-1')
      assert.deepEqual(erased, { userId: user.id, done: true, batches: 1 })
      assert.deepEqual(await keptOf(store, user), nothing)
      assert.equal(await store.userByExternalId(application.id, 'hiker-1'), null)
      assert.equal(await store.incident(id), null)
      assert.equal(await store.trackingLink(contacts[0]!.token), null)
      assert.deepEqual(
        (await store.outbox({ incidentId: null })).map(({ incidentId }) => incidentId),
        [others.id],
      )
      assert.deepEqual(await keptOf(store, other), before)
      assert.deepEqual(await erase(site, 'hiker-1'), { refused: 'user_not_found', batches: 1 })
    })

    test('is refused while an incident is open, and then deletes nothing', async (t) => {
      const site = await siteIn(subject, t, { contacts: ['Ana'] })
      const { store, user } = site
      await user.sends(-5)
      await user.presses(0, at(47))
      const before = await keptOf(store, user)
      assert.deepEqual(await erase(site, 'hiker-1'), { refused: 'incident_open', batches: 1 })
      assert.deepEqual(await keptOf(store, user), before)
      await user.does(5, { type: 'acknowledge', contactId: (await store.contacts(user.id))[0]!.id })
      assert.deepEqual(await erase(site, 'hiker-1'), { refused: 'incident_open', batches: 1 })
      await user.does(6, { type: 'resolve' })
      assert.equal('done' in (await erase(site, 'hiker-1')), true)
      assert.deepEqual(await keptOf(store, user), nothing)
    })

    test('is refused while an all-clear is pending, claimed or not', async (t) => {
      const site = await siteIn(subject, t, { contacts: ['Ana'] })
      const { user } = site
      const incident = incidentOf(await user.presses(0))
      const proceed = { type: 'proceed', inFlight: [] } as const
      const key = { incidentId: incident.id }
      const claimed = async (seconds: number) => {
        const [attempt] = (await user.does(seconds, proceed, key)).claimed
        assert.ok(attempt)
        return attempt
      }
      const record = (seconds: number, attemptId: string) =>
        user.does(
          seconds,
          {
            type: 'recordOutcome',
            attemptId,
            outcome: { kind: 'sent', provider: 'outbox', providerRef: null },
            jitter: 0,
            earlierTries: 0,
          },
          key,
        )
      const refused = { refused: 'all_clear_pending', batches: 1 }

      const alarm = await claimed(20)
      await user.does(21, { type: 'cancel' })
      assert.deepEqual(await erase(site, 'hiker-1'), refused, 'the alarm is being handed over')
      await record(22, alarm.id)
      assert.deepEqual(await erase(site, 'hiker-1'), refused, 'the all-clear is due')
      const allClear = await claimed(40)
      assert.equal(allClear.purpose, 'all_clear')
      assert.deepEqual(await erase(site, 'hiker-1'), refused, 'the all-clear is being handed over')
      await record(41, allClear.id)
      assert.equal('done' in (await erase(site, 'hiker-1')), true)
    })

    test('proceeds in batches, and stops if an incident opens half-way', async (t) => {
      const site = await siteIn(subject, t)
      const { store, user, application } = site
      for (let n = 0; n < 25; n += 1) await user.sends(n)
      assert.deepEqual(await store.eraseUser(application.id, 'hiker-1', 10), { userId: user.id, done: false })
      assert.equal((await keptOf(store, user)).telemetry, 15)
      await user.presses(30)
      assert.deepEqual(await store.eraseUser(application.id, 'hiker-1', 10), { refused: 'incident_open' })
      assert.notEqual(await store.openIncident(user.id), null)
      await user.does(40, { type: 'cancel' })
      const erased = await erase(site, 'hiker-1', 10)
      // Fifteen rows, the incident and its alert.
      assert.deepEqual(erased, { userId: user.id, done: true, batches: 2 })
      assert.deepEqual(await keptOf(store, user), nothing)
    })

    test('a relay is removed from the incidents of others, which go on', async (t) => {
      const site = await siteIn(subject, t, { contacts: ['Ana'] })
      const { store, user } = site
      const gateway = await site.newUser('gateway')
      await user.pairs('tracker-1')
      const { id, ...opened } = incidentOf(await gateway.presses(0, { deviceId: 'tracker-1' }))
      assert.equal(opened.relayUserId, gateway.id)
      await erase(site, 'gateway')
      const stored = (await store.incident(id))?.incident
      assert.deepEqual(stored, { ...opened, id, relayUserId: null })
      assert.equal((await user.does(5, { type: 'cancel' })).verdict, 'changed')
    })

    test('a relay that joined later is removed too, the next one counts, and the owner goes with the incident', async (t) => {
      const site = await siteIn(subject, t, { contacts: ['Ana'] })
      const { store, user } = site
      const gateways = [await site.newUser('gateway-1'), await site.newUser('gateway-2')]
      await user.pairs('tracker-1')
      const { id } = incidentOf(await user.presses(0))
      for (const [place, gateway] of gateways.entries()) {
        await gateway.presses(90 * (place + 1), { deviceId: 'tracker-1' })
        assert.equal((await store.incident(id))?.incident.relayUserId, gateway.id)
        await erase(site, `gateway-${place + 1}`)
        assert.equal((await store.incident(id))?.incident.relayUserId, null)
      }
      const last = await site.newUser('gateway-3')
      await last.presses(300, { deviceId: 'tracker-1' })
      await user.does(305, { type: 'cancel' })
      await erase(site, 'hiker-1')
      assert.equal(await store.incident(id), null)
    })

    test('deletes test messages to the user’s contacts and keeps those to others', async (t) => {
      const site = await siteIn(subject, t, { contacts: ['Ana'] })
      await site.store.addToOutbox(text('', '+4366012345678'))
      await site.store.addToOutbox(text('', '+4366099999999'))
      await erase(site, 'hiker-1')
      assert.deepEqual(
        (await site.store.outbox({ incidentId: null })).map(({ to }) => to),
        ['+4366099999999'],
      )
    })

    test('messages that were in flight are deleted at the end', async (t) => {
      const site = await siteIn(subject, t, { contacts: ['Ana'] })
      const { store, user } = site
      const mine = await live(store, user, 'hiker-1')
      const other = await site.newUser('hiker-2')
      const theirs = await live(store, other, 'hiker-2')
      await erase(site, 'hiker-1')
      await store.addToOutbox(text(mine.id, '+4366012345678'))
      const letter = { userId: user.id, topic: 'tel/x', reason: 'no JSON object', payload: Buffer.from('?') }
      await store.addDeadLetter({ ...letter, receivedAt: momentAt(9) })
      assert.equal(await store.finishErasure(user.id, momentAt(0)), 'none')
      assert.deepEqual(await keptOf(store, user), nothing)
      assert.deepEqual(
        (await store.outbox({ incidentId: null })).map(({ incidentId }) => incidentId),
        [theirs.id],
      )
    })

    test('leaves one notice for the service, about admission, and no other', async (t) => {
      const site = await siteIn(subject, t)
      const commandLine = await site.place.open({ leaveNotices: true })
      const notices: Notice[] = []
      t.after(await site.store.onNotice((notice) => notices.push(notice)))
      await erase({ ...site, store: commandLine, application: site.application } as Site, 'hiker-1')
      await until('a notice', () => notices.length > 0)
      assert.deepEqual(notices, [{ kind: 'admission', appId: site.application.id }])
    })
  })
}
