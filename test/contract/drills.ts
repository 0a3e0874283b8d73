import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { suite, test } from 'node:test'
import { alertFrom } from '../../src/core/ingest/alert.ts'
import type { Committed, DrillQuery, IncidentFilter, IncidentStore, Store } from '../../src/ports/store.ts'
import { isoAfter, momentAt } from '../core/build.ts'
import { appOn, asks, invitationTo } from './enrolment.ts'
import { type SiteUser, type StoreUnderTest, siteIn } from './site.ts'

const ALL: IncidentFilter = { state: 'all', statuses: null, applications: null, from: null, to: null, text: null }

/** An operator starts a drill for the user, or (`isOwn`) the user. */
export function drills(
  store: Pick<IncidentStore, 'changeIncident'>,
  user: Pick<SiteUser, 'id'>,
  seconds: number,
  kind: { readonly isOwn?: true } = {},
) {
  const now = momentAt(seconds)
  const alert = alertFrom({ timestamp: isoAfter(seconds), latitude: 0, longitude: 0 }, now)
  const ids = { incidentId: randomUUID(), linkSecret: randomUUID() }
  return store.changeIncident({ openOf: user.id }, { type: 'drill', now, alert, toContacts: false, ...ids, ...kind })
}

/** The status of each incident, in the order of the commits. */
const statuses = (store: Store, commits: readonly Committed[]): Promise<readonly unknown[]> =>
  Promise.all(commits.map(async ({ incidentId }) => (await store.incident(incidentId!))?.incident.state.status))

/** preparing.md#drills: a press never meets a drill. */
export function drillContract(subject: StoreUnderTest): void {
  suite('drills', () => {
    test('a drill is not the open incident, whatever asks for it', async (t) => {
      const { store, user } = await siteIn(subject, t, { contacts: ['Ana'] })
      const drill = await drills(store, user, 0)
      assert.equal(drill.verdict, 'opened')
      assert.deepEqual(
        drill.events.map(({ topics }) => topics),
        [[]],
      )
      assert.equal(drill.lastPosition?.latitude, 0)
      assert.equal(await store.openIncident(user.id), null)
      assert.equal(await store.latestIncident(user.id, 0), null)
      assert.equal((await user.does(1, { type: 'cancel' })).verdict, 'unchanged')
      assert.equal((await user.sends(1, { latitude: 47, longitude: 11 })).incidentId, null)
      assert.deepEqual(await statuses(store, [drill]), ['active'])
      const again = await drills(store, user, 2)
      assert.deepEqual([again.verdict, again.refused, again.incidentId], ['unchanged', 'drill_open', drill.incidentId])
    })

    test('a press during a drill opens an incident of its own and ends the drill, also at the same instant', async (t) => {
      const { store, user } = await siteIn(subject, t, { contacts: ['Ana'] })
      const [drill, press, again] = await Promise.all([
        drills(store, user, 0),
        user.presses(0, { latitude: 47, longitude: 11 }),
        user.presses(1),
      ])
      assert.equal(press.verdict, 'opened')
      assert.notEqual(press.incidentId, drill.incidentId)
      assert.equal(press.incident?.drill, undefined)
      assert.equal(again.incidentId, press.incidentId)
      // Screens and contacts' pages hear of the end with the press.
      assert.deepEqual([press.overtaken?.[0]?.incidentId, again.overtaken], [drill.incidentId, undefined])
      assert.ok(press.overtaken?.[0]?.events.every(({ message }) => message.status === 'resolved' && message.drill))
      assert.equal((await store.openIncident(user.id))?.incident.id, press.incidentId)
      assert.deepEqual(await statuses(store, [drill, press]), ['resolved', 'active'])
      assert.deepEqual(await store.due(momentAt(11), 10), { real: [press.incidentId], drills: [] })
    })

    test('an answer to a drill acknowledges the drill alone, also in the batch of a press and of its repeat', async (t) => {
      const { store, user } = await siteIn(subject, t, { contacts: ['Ana'] })
      const drill = await drills(store, user, 0)
      const [contact] = drill.incident!.contacts
      const answer = { type: 'acknowledge', contactId: contact!.contactId } as const
      const [answered, press] = await Promise.all([
        user.does(1, answer, { incidentId: drill.incidentId! }),
        user.presses(1),
        user.presses(1),
      ])
      assert.deepEqual([answered.incidentId, press.verdict], [drill.incidentId, 'opened'])
      assert.equal((await user.does(2, answer, { incidentId: drill.incidentId! })).verdict, 'unchanged')
      assert.deepEqual(await statuses(store, [drill, press]), ['resolved', 'active'])
    })

    test('after a restart a press still meets no drill, and another drill is still refused', async (t) => {
      const { place, store, user } = await siteIn(subject, t, { contacts: ['Ana'] })
      const drill = await drills(store, user, 0)
      await store.close()
      const again = await place.open()
      assert.equal((await drills(again, user, 1)).refused, 'drill_open')
      const raise = { type: 'raise', now: momentAt(2), reporterId: user.id, incidentId: randomUUID() } as const
      const alert = alertFrom({ timestamp: isoAfter(2) }, momentAt(2))
      const press = await again.changeIncident({ openOf: user.id }, { ...raise, alert, linkSecret: 's' })
      assert.equal(press.verdict, 'opened')
      assert.deepEqual(await statuses(again, [drill, press]), ['resolved', 'active'])
    })

    test('no drill beside a real incident', async (t) => {
      const { store, user } = await siteIn(subject, t, { contacts: ['Ana'] })
      const press = await user.presses(0)
      const drill = await drills(store, user, 1)
      assert.deepEqual(
        [drill.verdict, drill.refused, drill.incidentId],
        ['unchanged', 'incident_open', press.incidentId],
      )
    })

    test('what is due of real incidents comes before every drill, and their next moment is told apart', async (t) => {
      const site = await siteIn(subject, t, { contacts: ['Ana'] })
      const { store, user } = site
      assert.equal(await store.nextRealActionAt(), null)
      const drill = await drills(store, user, 0)
      assert.equal(await store.nextRealActionAt(), null)
      assert.equal(await store.nextActionAt(), momentAt(10))
      const other = await site.newUser('other')
      const press = await other.presses(20)
      const later = momentAt(60)
      const next = press.nextActionAt
      assert.equal(await store.nextRealActionAt(), next)
      assert.equal(await store.nextActionAt(), momentAt(10))
      assert.equal(await store.nextActionAt([drill.incidentId!]), next)
      assert.deepEqual(await store.due(later, 10), { real: [press.incidentId], drills: [drill.incidentId] })
      assert.deepEqual(await store.due(later, 1), { real: [press.incidentId], drills: [] })
      assert.deepEqual(await store.due(later, 10, [press.incidentId!]), { real: [], drills: [drill.incidentId] })
      assert.deepEqual(await store.due(momentAt(10), 10), { real: [], drills: [drill.incidentId] })
    })

    test('own exercises push out nothing of an operator, and those of strangers leave room for others', async (t) => {
      const site = await siteIn(subject, t)
      const { store, application, user } = site
      await appOn(site)
      const poster = invitationTo(site, { kind: 'poster', places: 9 })
      await store.inviteToApp(poster)
      let seconds = 0
      const practises = async (one: Pick<SiteUser, 'id'>, kind: { readonly isOwn?: true } = { isOwn: true }) => {
        seconds += 1
        const { incidentId, refused } = await drills(store, one, seconds, kind)
        if (refused === undefined) {
          await store.changeIncident(
            { incidentId: incidentId! },
            { type: 'resolve', by: 'user', now: momentAt(seconds) },
          )
        }
        return refused
      }
      const kept = async (userId: string) =>
        (await store.drills({ appId: application.id, userId, since: 0, limit: 99 })).length
      const strangers = []
      for (let k = 0; k < 3; k += 1) {
        const enrolled = await store.enrol(asks(poster))
        assert.ok('user' in enrolled)
        strangers.push(enrolled.user)
        if (k === 0) await practises(enrolled.user, {})
        if (k < 2) for (let n = 0; n < 22; n += 1) assert.equal(await practises(enrolled.user), undefined)
      }
      // Of each kind 20, and the operator's is still there. Each start trims what was closed before it, a store on a
      // server a moment later.
      const [first, second] = await Promise.all(strangers.map(({ id }) => kept(id)))
      assert.ok(first! >= 22 && first! <= 23 && second! >= 21 && second! <= 22, `${first} and ${second}`)
      let further = 0
      while (further < 10 && (await practises(strangers[2]!)) === undefined) further += 1
      // A store may trim a moment later, and what it has not trimmed counts.
      assert.ok(further >= 3 && further < 10, `${further} more until strangers have used up their part`)
      assert.equal(await practises(strangers[2]!, {}), undefined, 'an operator’s')
      assert.equal(await practises(user), undefined, 'somebody vouches for this one')
    })

    test('lists and history leave drills out, unless they are asked for', async (t) => {
      const site = await siteIn(subject, t, { contacts: ['Ana'] })
      const { store, user } = site
      const [first, press] = [await drills(store, user, 0), await user.presses(10)]
      await user.does(20, { type: 'cancel' })
      const second = await drills(store, user, 30)
      const board = async (filter: Partial<IncidentFilter>) =>
        (await store.board({ ...ALL, ...filter }, { after: null, limit: 10 })).items.map(({ incident }) => incident.id)
      assert.deepEqual(await board({}), [press.incidentId])
      assert.deepEqual(await board({ state: 'open' }), [])
      assert.deepEqual(await board({ drills: true }), [second.incidentId, first.incidentId])
      assert.deepEqual(await board({ drills: true, state: 'open' }), [second.incidentId])
      assert.deepEqual(await board({ drills: true, state: 'closed', applications: [site.application.id] }), [
        first.incidentId,
      ])
      assert.equal((await store.boardRecord(second.incidentId!))?.incident.drill?.toContacts, false)
      const idsOf = (records: readonly { readonly incident: { readonly id: string } }[]) =>
        records.map(({ incident }) => incident.id)
      const history = await store.history(user.id, { after: null, limit: 10 })
      assert.deepEqual('items' in history && idsOf(history.items), [press.incidentId])
      assert.deepEqual(idsOf(await store.incidents({ openOnly: false })), [press.incidentId])
      assert.equal((await store.latestIncident(user.id, 0))?.id, press.incidentId)
      assert.deepEqual((await store.figures()).openIncidents, { active: 0, acknowledged: 0 })

      const query: DrillQuery = { appId: site.application.id, userId: null, since: 0, limit: 10 }
      const found = async (more: Partial<DrillQuery>) => (await store.drills({ ...query, ...more })).map(({ id }) => id)
      assert.deepEqual(await found({}), [second.incidentId, first.incidentId])
      assert.deepEqual(await found({ isOpen: true, userId: user.id }), [second.incidentId])
      assert.deepEqual(await found({ since: momentAt(30) }), [second.incidentId])
      assert.deepEqual(await found({ limit: 1 }), [second.incidentId])
      assert.deepEqual(await found({ userId: randomUUID() }), [])
      assert.deepEqual(await found({ appId: randomUUID() }), [])
    })
  })
}
