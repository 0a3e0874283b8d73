import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { suite, test } from 'node:test'
import { defaultSettings } from '../../src/core/account/settings.ts'
import { incidentIdOf } from '../../src/core/incident/escalation.ts'
import { alertFrom } from '../../src/core/ingest/alert.ts'
import { COMMAND, entry } from '../../src/core/operator/audit.ts'
import { isoAfter, itemStatuses, momentAt, sent } from '../core/build.ts'
import { at, eventTypes, incidentOf, type StoreUnderTest, siteIn } from './site.ts'

/** The one write door. rules.md#states. */
export function incidentContract(subject: StoreUnderTest): void {
  suite('the write door', () => {
    test('opens a complete incident in one commit', async (t) => {
      const { store, user, application } = await siteIn(subject, t, { contacts: ['Ana', 'Ben'] })
      const opened = await user.presses(0, at(47))
      const incident = incidentOf(opened)
      assert.equal(opened.verdict, 'opened')
      assert.deepEqual(eventTypes(opened), ['processed'])
      assert.equal(incident.appId, application.id)
      assert.equal(incident.userId, user.id)
      assert.equal(incident.externalUserId, 'hiker-1')
      assert.deepEqual(
        incident.contacts.map(({ name, priority }) => [name, priority]),
        [
          ['Ana', 1],
          ['Ben', 2],
        ],
      )
      assert.equal(opened.nextActionAt, momentAt(10))
      const stored = { incident, lastPosition: opened.lastPosition }
      assert.deepEqual(await store.openIncident(user.id), stored)
      assert.deepEqual(await store.incident(incident.id), stored)
    })

    test('plans with the settings of the application, over the defaults', async (t) => {
      const { user } = await siteIn(subject, t, { settings: { graceSeconds: 3, voice: false } })
      const opened = await user.presses(0)
      assert.deepEqual(incidentOf(opened).settings, { ...defaultSettings, graceSeconds: 3, voice: false })
      assert.equal(opened.nextActionAt, momentAt(3))
    })

    test('feeds the open incident with a further alert', async (t) => {
      const { store, user } = await siteIn(subject, t)
      const opened = await user.presses(0)
      const updated = await user.presses(60)
      assert.equal(updated.verdict, 'updated')
      assert.equal(incidentOf(updated).id, incidentOf(opened).id)
      assert.equal(incidentOf(updated).lastAlertAt, momentAt(60))
      assert.deepEqual((await store.openIncident(user.id))?.incident, updated.incident)
    })

    test('opens one incident for simultaneous presses, and distinguishes their results', async (t) => {
      const { store, user } = await siteIn(subject, t)
      const settled: string[] = []
      const presses = [0, 1, 2, 3].map(async (second) => {
        const committed = await user.presses(second)
        settled.push(committed.verdict)
        return incidentOf(committed)
      })
      const incidents = await Promise.all(presses)
      assert.deepEqual(settled, ['opened', 'updated', 'updated', 'updated'])
      assert.equal(new Set(incidents.map(({ id }) => id)).size, 1)
      assert.equal((await store.incidents({ openOnly: false })).length, 1)
    })

    test('keeps the incidents of two users apart', async (t) => {
      const site = await siteIn(subject, t)
      const other = await site.newUser('hiker-2')
      const [mine, theirs] = await Promise.all([site.user.presses(0), other.presses(0)])
      assert.deepEqual([mine.verdict, theirs.verdict], ['opened', 'opened'])
      await other.does(5, { type: 'cancel' })
      assert.deepEqual((await site.store.openIncident(site.user.id))?.incident, mine.incident)
      assert.equal(await site.store.openIncident(other.id), null)
    })

    test('acknowledges once, then changes nothing', async (t) => {
      const { store, user } = await siteIn(subject, t, { contacts: ['Ana'] })
      const { id, contacts } = incidentOf(await user.presses(0))
      const command = { type: 'acknowledge', contactId: contacts[0]!.contactId } as const
      const first = await user.does(20, command, { incidentId: id })
      assert.equal(first.verdict, 'changed')
      assert.deepEqual(eventTypes(first), ['acknowledged', 'sos.actuator_update'])
      const second = await user.does(21, command, { incidentId: id })
      assert.equal(second.verdict, 'unchanged')
      assert.deepEqual(second.incident, first.incident)
      assert.deepEqual(second.events, [])
      assert.deepEqual((await store.incident(id))?.incident, first.incident)
    })

    for (const type of ['cancel', 'resolve'] as const) {
      test(`${type} closes the open incident, and none is open afterwards`, async (t) => {
        const { store, user } = await siteIn(subject, t, { contacts: ['Ana'] })
        const { id } = incidentOf(await user.presses(0))
        const closed = await user.does(5, { type })
        assert.equal(closed.verdict, 'changed')
        assert.equal(closed.nextActionAt, null)
        assert.deepEqual(itemStatuses(incidentOf(closed)), { emergency_contacts: 'skipped' })
        assert.equal(await store.openIncident(user.id), null)
        assert.deepEqual((await store.incident(id))?.incident, closed.incident)
        assert.deepEqual((await store.due(momentAt(1e6), 10)).real, [])
      })
    }

    test('finds the incident that a user would ask about: the open one, else the last one that ended', async (t) => {
      const site = await siteIn(subject, t, { contacts: ['Ana'] })
      const { store, user } = site
      const other = await site.newUser('hiker-2')
      const latest = (since: number) => store.latestIncident(user.id, momentAt(since))
      assert.equal(await latest(-1e6), null)
      await other.presses(0)
      const first = incidentOf(await user.presses(0))
      assert.deepEqual(await latest(1e6), first)
      const cancelled = incidentOf(await user.does(5, { type: 'cancel' }))
      assert.deepEqual(await latest(4), cancelled)
      assert.equal(await latest(5), null)
      const second = incidentOf(await user.presses(60))
      assert.deepEqual(await latest(1e6), second)
      const resolved = incidentOf(await user.does(90, { type: 'resolve' }))
      assert.deepEqual(await latest(0), resolved)
      assert.equal(await latest(90), null)
      assert.equal(await store.latestIncident('nobody', 0), null)
    })

    test('changes nothing if there is no incident', async (t) => {
      const { user, store } = await siteIn(subject, t)
      const nowhere = [{ openOf: user.id }, { incidentId: 'nowhere' }]
      for (const key of nowhere) {
        const committed = await user.does(0, { type: 'cancel' }, key)
        assert.equal(committed.verdict, 'unchanged')
        assert.equal(committed.incident, null)
        assert.equal(committed.lastPosition, null)
        assert.equal(committed.nextActionAt, null)
      }
      assert.deepEqual(await store.incidents({ openOnly: false }), [])
    })

    test('keeps claims and outcomes', async (t) => {
      const { store, user } = await siteIn(subject, t, { contacts: ['Ana'] })
      const { id } = incidentOf(await user.presses(0))
      const claimed = await user.does(10, { type: 'proceed', inFlight: [] }, { incidentId: id })
      const [row] = claimed.claimed
      assert.equal(row?.channel, 'sms')
      assert.deepEqual((await store.incident(id))?.incident, claimed.incident)
      const outcome = {
        type: 'recordOutcome',
        attemptId: row!.id,
        outcome: sent,
        jitter: 0.5,
        earlierTries: 0,
      } as const
      const recorded = await user.does(11, outcome, { incidentId: incidentIdOf(row!.id) })
      assert.deepEqual(eventTypes(recorded), ['sos.actuator_update'])
      assert.deepEqual(itemStatuses((await store.incident(id))!.incident), { emergency_contacts: 'sent' })
    })

    test('keeps what the tracker is told, and lets one of two processes tell it', async (t) => {
      const { store, user, application } = await siteIn(subject, t, { contacts: ['Ana'] })
      const place = { server: 'hut', devEui: 'a84041ffff185123', application: 'trackers', device: 'mia' }
      const raise = {
        type: 'raise',
        alert: alertFrom({ timestamp: isoAfter(0) }, momentAt(0)),
        reporterId: user.id,
        incidentId: randomUUID(),
        linkSecret: randomUUID(),
        downlink: { ...place, profile: 'button', kinds: ['received', 'coming'] },
      } as const
      const reporter = { appId: application.id, userId: user.id, deviceId: null }
      const { id } = incidentOf(await user.does(0, raise, { reporter }))
      const claim = { type: 'downlink', kind: 'received', step: { name: 'claim', ref: 'x' } } as const
      const claims = await Promise.all([1, 2].map(() => user.does(1, claim, { incidentId: id })))
      assert.deepEqual(claims.map(({ verdict }) => verdict).sort(), ['changed', 'unchanged'])
      const heard = { ...claim, step: { name: 'heard', ref: 'x', status: 'sent' } } as const
      const sent = await user.does(2, heard, { incidentId: id })
      assert.deepEqual(eventTypes(sent), ['sos.actuator_update'])
      assert.deepEqual((await store.incident(id))?.incident, sent.incident)
      assert.equal(itemStatuses(incidentOf(sent)).downlink, 'sent')
    })

    test('lists the calls to a number, from incidents that are open or closed recently', async (t) => {
      const { store, user } = await siteIn(subject, t, { contacts: ['Ana'] })
      const incident = incidentOf(await user.presses(0))
      const { phone } = incident.contacts[0]!
      for (const [seconds, providerRef] of [
        [10, 'SM1'],
        [70, 'CA1'],
      ] as const) {
        const { claimed } = await user.does(seconds, { type: 'proceed', inFlight: [] }, { incidentId: incident.id })
        const [row] = claimed
        const outcome = { ...sent, providerRef } as const
        await user.does(seconds, { type: 'recordOutcome', attemptId: row!.id, outcome, jitter: 0.5, earlierTries: 0 })
      }
      assert.deepEqual(await store.callRefs(phone, momentAt(1_000)), ['CA1'])
      assert.deepEqual(await store.callRefs(`${phone}1`, momentAt(0)), [])
      assert.deepEqual(await store.callRefs(phone.slice(0, -1), momentAt(0)), [])
      await user.does(100, { type: 'cancel' })
      assert.deepEqual(await store.callRefs(phone, momentAt(99)), ['CA1'])
      assert.deepEqual(await store.callRefs(phone, momentAt(100)), [])
    })

    test('lists what is due, most overdue first, and when to look next', async (t) => {
      const site = await siteIn(subject, t)
      const { store } = site
      assert.equal(await store.nextActionAt(), null)
      const others = [await site.newUser('hiker-2'), await site.newUser('hiker-3')]
      const late = incidentOf(await others[0]!.presses(20))
      const soon = incidentOf(await site.user.presses(0))
      const later = incidentOf(await others[1]!.presses(40))
      assert.equal(await store.nextActionAt(), momentAt(10))
      assert.deepEqual((await store.due(momentAt(9), 10)).real, [])
      assert.deepEqual((await store.due(momentAt(10), 10)).real, [soon.id])
      assert.deepEqual((await store.due(momentAt(99), 10)).real, [soon.id, late.id, later.id])
      assert.deepEqual((await store.due(momentAt(99), 2)).real, [soon.id, late.id])
      assert.deepEqual((await store.due(momentAt(99), 2, [soon.id, 'nowhere'])).real, [late.id, later.id])
      assert.equal(await store.nextActionAt([soon.id]), momentAt(30))
      assert.equal(await store.nextActionAt([soon.id, late.id, later.id]), null)
    })

    test('moves the deadlines of everything pending with the clock', async (t) => {
      const site = await siteIn(subject, t, { contacts: ['Ana'] })
      const { store, user } = site
      const other = await site.newUser('hiker-2')
      const open = incidentOf(await user.presses(0))
      const closed = incidentOf(await other.presses(0))
      await other.does(1, { type: 'cancel' })
      const before = await store.incident(closed.id)
      const changed = await store.changePending({ type: 'shiftDeadlines', now: momentAt(100), byMs: 90_000 })
      assert.equal(changed, 1)
      assert.equal(await store.nextActionAt(), momentAt(100))
      assert.equal((await store.incident(open.id))?.incident.deliveries[0]?.dueAt, momentAt(100))
      assert.deepEqual(await store.incident(closed.id), before)
      assert.equal(await store.changePending({ type: 'reckonAnew', now: momentAt(2), from: momentAt(95) }), 1)
      assert.equal(await store.nextActionAt(), momentAt(7))
    })

    test('finds incident and contact by the token of a tracking link', async (t) => {
      const { store, user } = await siteIn(subject, t, { contacts: ['Ana', 'Ben'] })
      const { contacts } = incidentOf(await user.presses(0, at(47)))
      const added = await user.adds('Cem', 5)
      const record = await store.openIncident(user.id)
      const all = record!.incident.contacts
      assert.equal(all.length, 3)
      for (const { token, contactId } of all)
        assert.deepEqual(await store.trackingLink(token), { ...record, contactId })
      assert.equal(all[2]?.contactId, added)
      assert.equal(await store.trackingLink(contacts[0]!.contactId), null)
      assert.equal(await store.trackingLink(''), null)
      await user.does(9, { type: 'cancel' })
      assert.notEqual((await store.trackingLink(all[2]!.token))?.incident.state.closedAt, null)
    })

    test('lists incidents for the operator, newest first', async (t) => {
      const site = await siteIn(subject, t)
      const other = await site.newUser('hiker-2')
      const first = incidentOf(await site.user.presses(0))
      await site.user.does(5, { type: 'cancel' })
      const second = incidentOf(await other.presses(10, at(47)))
      const third = incidentOf(await site.user.presses(20))
      const ids = async (openOnly: boolean) =>
        (await site.store.incidents({ openOnly })).map(({ incident }) => incident.id)
      assert.deepEqual(await ids(false), [third.id, second.id, first.id])
      assert.deepEqual(await ids(true), [third.id, second.id])
      assert.equal((await site.store.incidents({ openOnly: true }))[1]?.lastPosition?.latitude, 47)
    })

    test('knows the newest moment of anything stored', async (t) => {
      const place = await subject.place(t)
      const store = await place.open()
      assert.equal((await store.clockRecord()).newestMoment, 0)
      await store.close()
      const { store: full, user } = await siteIn(subject, t)
      await user.presses(50)
      assert.equal((await full.clockRecord()).newestMoment, momentAt(50))
      await user.sends(10, {}, 70)
      assert.equal((await full.clockRecord()).newestMoment, momentAt(70))
      await user.sends(11, {}, 60)
      assert.equal((await full.clockRecord()).newestMoment, momentAt(70))
    })

    test('keeps the newest moment in the same clock as the deadlines, and keeps the doubt', async (t) => {
      const { store, user } = await siteIn(subject, t)
      await user.presses(1_000)
      await Promise.all([
        user.sends(1_001),
        store.changePending({ type: 'shiftDeadlines', now: momentAt(10), byMs: -990_000 }),
      ])
      await store.keepClock(momentAt(11), { believedMoment: momentAt(5), needsOperator: true })
      assert.deepEqual(await store.clockRecord(), {
        newestMoment: momentAt(11),
        doubt: { believedMoment: momentAt(5), needsOperator: true },
      })
      await store.acceptClock(momentAt(12), entry({ at: momentAt(12), actor: COMMAND, action: 'clock.accept' }))
      assert.deepEqual((await store.auditRows({ after: null, limit: 1 })).items[0]?.action, 'clock.accept')
      assert.deepEqual((await store.clockRecord()).doubt, { believedMoment: momentAt(12), needsOperator: false })
      await store.keepClock(momentAt(13), null)
      assert.deepEqual(await store.clockRecord(), { newestMoment: momentAt(13), doubt: null })
      await user.sends(14)
      assert.equal((await store.clockRecord()).newestMoment, momentAt(14))
    })

    test('has everything again after reopening', async (t) => {
      const { place, store, user } = await siteIn(subject, t, { contacts: ['Ana'] })
      await user.presses(0, at(47))
      const before = await store.history(user.id, { after: null, limit: 10 })
      const [next, newest] = [await store.nextActionAt(), await store.clockRecord()]
      await store.close()
      const again = await place.open()
      assert.deepEqual(await again.history(user.id, { after: null, limit: 10 }), before)
      assert.deepEqual([await again.nextActionAt(), await again.clockRecord()], [next, newest])
    })
  })
}
