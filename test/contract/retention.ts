import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { suite, test } from 'node:test'
import { COMMAND, entry } from '../../src/core/operator/audit.ts'
import type { ExpiringKind, Store } from '../../src/ports/store.ts'
import { momentAt } from '../core/build.ts'
import { at, incidentOf, type Site, type StoreUnderTest, siteIn } from './site.ts'

/** The last moment that is too old and the first that is not, if everything before the press expires. Seconds. */
const TOO_OLD = -0.001
const KEPT = 0

/** Deletes everything older than the press, batch by batch. Resolves with the number of rows deleted in each batch. */
async function expire(store: Store, kind: ExpiringKind, max = 100): Promise<readonly number[]> {
  const batches: number[] = []
  for (let from: string | null = ''; from !== null; ) {
    const { deleted, next } = await store.deleteExpired(kind, { before: momentAt(0), max, from })
    batches.push(deleted)
    from = next
  }
  return batches
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0)

async function telemetryTimes(store: Store, userId: string): Promise<readonly number[]> {
  const page = await store.telemetryHistory(userId, { after: null, limit: 1000, from: null, to: null })
  assert.ok('items' in page)
  return page.items.map(({ at: { ms } }) => (ms - momentAt(0)) / 1000)
}

const message = (incidentId: string, n: number, seconds: number) => ({
  attemptId: `${incidentId}.${n}`,
  incidentId,
  contactId: 'ana',
  channel: 'sms' as const,
  to: '+4366012345678',
  text: 'Mia braucht Hilfe',
  createdAt: momentAt(seconds),
})

/** An incident that was pressed at `pressed`, with two positions and a text, and closed at `closed`. */
async function pastIncident({ store, user }: Site, pressed: number, closed: number) {
  const incident = incidentOf(await user.presses(pressed, at(47)))
  await user.presses(pressed + 1, at(48))
  await store.addToOutbox(message(incident.id, 1, pressed + 1))
  await user.does(closed, { type: 'cancel' })
  return incident
}

export function retentionContract(subject: StoreUnderTest): void {
  suite('retention', () => {
    test('telemetry of every user expires by its arrival, and the rest keeps its order', async (t) => {
      const site = await siteIn(subject, t)
      const other = await site.newUser('hiker-2')
      for (const user of [site.user, other]) {
        await user.sends(-500, {}, TOO_OLD)
        await user.sends(-400, {}, KEPT)
        await user.sends(-300, {}, -300)
        await user.sends(5, {}, TOO_OLD)
        await user.sends(6, {}, KEPT)
      }
      assert.equal(sum(await expire(site.store, 'telemetry')), 6)
      for (const { id } of [site.user, other]) assert.deepEqual(await telemetryTimes(site.store, id), [6, -400])
      assert.equal(sum(await expire(site.store, 'telemetry')), 0)
    })

    test('a closed incident expires by its closing time, with everything that belongs to it', async (t) => {
      const site = await siteIn(subject, t, { contacts: ['Ana'] })
      const { store, user } = site
      const old = await pastIncident(site, -600, TOO_OLD)
      const kept = await pastIncident(site, -500, KEPT)
      // The incident, two positions, two alerts, a token and a text.
      assert.equal(sum(await expire(store, 'incidents')), 7)
      assert.equal(await store.incident(old.id), null)
      assert.equal(await store.trackingLink(old.contacts[0]!.token), null)
      assert.deepEqual(await store.outbox({ incidentId: old.id }), [])
      const page = await store.history(user.id, { after: null, limit: 10 })
      assert.ok('items' in page)
      assert.deepEqual(
        page.items.map(({ incident, trail }) => [incident.id, trail.length]),
        [[kept.id, 2]],
      )
      assert.equal((await store.trackingLink(kept.contacts[0]!.token))?.incident.id, kept.id)
      assert.equal((await store.outbox({ incidentId: null })).length, 1)
      // The alert is forgotten too: the same one again opens a new incident.
      assert.equal((await user.presses(-600, at(47), 10)).verdict, 'opened')
    })

    test('an open incident is never touched, however old it is', async (t) => {
      const site = await siteIn(subject, t, { contacts: ['Ana'] })
      const { store, user } = site
      const { id, contacts } = incidentOf(await user.presses(-900, at(47)))
      await user.sends(-800, at(48))
      await user.sends(-950)
      await store.addToOutbox(message(id, 1, -890))
      const before = await store.history(user.id, { after: null, limit: 10 })
      for (const kind of ['telemetry', 'incidents', 'outbox', 'deadLetters', 'feedback'] as const) {
        // The row from before the incident does not belong to it.
        assert.equal(sum(await expire(store, kind)), kind === 'telemetry' ? 1 : 0, kind)
      }
      assert.deepEqual(await store.history(user.id, { after: null, limit: 10 }), before)
      assert.deepEqual(await telemetryTimes(store, user.id), [-800])
      assert.equal((await store.outbox({ incidentId: id })).length, 1)
      assert.notEqual(await store.trackingLink(contacts[0]!.token), null)
      assert.equal((await user.presses(-900, at(47), 10)).verdict, 'repeated')
    })

    test('a closed incident stays while an all-clear is pending', async (t) => {
      const { store, user } = await siteIn(subject, t, { contacts: ['Ana'] })
      const { id } = incidentOf(await user.presses(-900))
      const { claimed } = await user.does(-890, { type: 'proceed', inFlight: [] }, { incidentId: id })
      const outcome = { kind: 'sent', provider: 'outbox', providerRef: 'x' } as const
      const attemptId = claimed[0]!.id
      await user.does(
        -889,
        { type: 'recordOutcome', attemptId, outcome, jitter: 0.5, earlierTries: 0 },
        { incidentId: id },
      )
      const closed = await user.does(-880, { type: 'cancel' })
      assert.notEqual(closed.nextActionAt, null, 'the all-clear is due')
      await store.addToOutbox(message(id, 1, -889))
      assert.equal(sum(await expire(store, 'incidents')), 0)
      assert.equal(sum(await expire(store, 'outbox')), 0)
    })

    test('outbox texts, dead letters and feedback expire by age', async (t) => {
      const { store, user } = await siteIn(subject, t)
      for (const [n, seconds] of [-9, TOO_OLD, KEPT].entries()) {
        await store.addToOutbox(message('gone', n, seconds))
        const letter = { userId: user.id, topic: 'sos/x', reason: 'no_json', payload: Buffer.from('?') }
        await store.addDeadLetter({ ...letter, receivedAt: momentAt(seconds) })
        const feedback = { id: randomUUID(), userId: user.id, message: 'Good', category: null, rating: null }
        await store.addFeedback({ ...feedback, createdAt: momentAt(seconds) })
      }
      for (const kind of ['outbox', 'deadLetters', 'feedback'] as const) {
        assert.deepEqual(await expire(store, kind, 1), [1, 1, 0], kind)
      }
      assert.deepEqual(
        (await store.outbox({ incidentId: null })).map(({ createdAt }) => createdAt),
        [momentAt(KEPT)],
      )
      assert.deepEqual(
        (await store.deadLetters()).map(({ receivedAt }) => receivedAt),
        [momentAt(KEPT)],
      )
    })

    test('rows of the audit log expire by age', async (t) => {
      const { store } = await siteIn(subject, t)
      for (const seconds of [KEPT, -9, TOO_OLD]) {
        await store.addAuditRow(entry({ at: momentAt(seconds), actor: COMMAND, action: 'user.view' }))
      }
      assert.deepEqual(await expire(store, 'audit', 1), [1, 1, 0])
      const { items } = await store.auditRows({ after: null, limit: 10 })
      assert.deepEqual(
        items.map((row) => row.at),
        [momentAt(KEPT)],
      )
    })

    test('a batch is bounded, even within a long trail', async (t) => {
      const site = await siteIn(subject, t, { contacts: ['Ana'] })
      const { store, user } = site
      const { id } = incidentOf(await user.presses(-600, at(47)))
      for (let n = 1; n < 25; n += 1) await user.sends(-600 + n, at(47 + n / 100))
      await user.does(-100, { type: 'cancel' })
      // 25 positions, an alert, a token, the incident.
      assert.deepEqual(await expire(store, 'incidents', 10), [10, 10, 8])
      assert.equal(await store.incident(id), null)

      const others = [await site.newUser('hiker-2'), await site.newUser('hiker-3')]
      for (const { id } of [user, ...others])
        assert.equal((await telemetryTimes(store, id)).length, id === user.id ? 24 : 0)
      const batches = await expire(store, 'telemetry', 10)
      assert.equal(sum(batches), 24)
      assert.ok(
        batches.every((deleted) => deleted <= 10),
        String(batches),
      )
    })

    test('an alert that comes with a batch is committed before it', async (t) => {
      const { store, user } = await siteIn(subject, t)
      for (let n = 0; n < 20; n += 1) await user.sends(-600 + n)
      const settled: string[] = []
      await Promise.all([
        store.deleteExpired('telemetry', { before: momentAt(0), max: 5, from: '' }).then(() => settled.push('deleted')),
        user.presses(1).then(() => settled.push('pressed')),
      ])
      assert.deepEqual(settled, ['pressed', 'deleted'])
      assert.equal((await telemetryTimes(store, user.id)).length, 15)
    })
  })
}
