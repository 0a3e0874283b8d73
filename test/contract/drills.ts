import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { suite, test } from 'node:test'
import { alertFrom } from '../../src/core/ingest/alert.ts'
import type { Committed } from '../../src/ports/store.ts'
import { isoAfter, momentAt } from '../core/build.ts'
import { type SiteUser, type StoreUnderTest, siteIn } from './site.ts'

const drills = (
  store: { changeIncident: (...given: never[]) => Promise<Committed> },
  user: SiteUser,
  seconds: number,
): Promise<Committed> => {
  const now = momentAt(seconds)
  const alert = alertFrom({ timestamp: isoAfter(seconds), latitude: 0, longitude: 0 }, now)
  const ids = { incidentId: randomUUID(), linkSecret: randomUUID() }
  const command = { type: 'drill', now, alert, toContacts: false, ...ids }
  return (store.changeIncident as (...given: unknown[]) => Promise<Committed>)({ openOf: user.id }, command)
}

/** rules.md#drills: a press never meets a drill. */
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
      assert.equal(await store.openIncident(user.id), null)
      assert.equal(await store.latestIncident(user.id, 0), null)
      assert.equal((await user.does(1, { type: 'cancel' })).verdict, 'unchanged')
      assert.equal((await user.sends(1, { latitude: 47, longitude: 11 })).incidentId, null)
      assert.equal((await store.incident(drill.incidentId!))?.incident.state.status, 'active')
      assert.equal((await drills(store, user, 2)).verdict, 'unchanged')
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
      assert.equal((await store.openIncident(user.id))?.incident.id, press.incidentId)
      assert.equal((await store.incident(drill.incidentId!))?.incident.state.status, 'resolved')
    })

    test('no drill beside a real incident', async (t) => {
      const { store, user } = await siteIn(subject, t, { contacts: ['Ana'] })
      const press = await user.presses(0)
      const drill = await drills(store, user, 1)
      assert.deepEqual([drill.verdict, drill.incidentId], ['unchanged', press.incidentId])
    })
  })
}
