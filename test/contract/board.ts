import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { suite, test } from 'node:test'
import { type AuditEntry, entry } from '../../src/core/operator/audit.ts'
import type { BoardRecord, IncidentFilter, Page, PageQuery, Store } from '../../src/ports/store.ts'
import { momentAt } from '../core/build.ts'
import { at, incidentOf, type Site, type StoreUnderTest, siteIn } from './site.ts'

const ANY: IncidentFilter = { state: 'all', statuses: null, applications: null, from: null, to: null, text: null }
const EVA = { kind: 'operator', id: 'op-1', name: 'Eva' } as const

const pageOf = (
  store: Store,
  filter: Partial<IncidentFilter> = {},
  page: PageQuery = { after: null, limit: 50 },
): Promise<Page<BoardRecord>> => store.board({ ...ANY, ...filter }, page)
const idsOf = async (store: Store, filter: Partial<IncidentFilter> = {}): Promise<readonly string[]> =>
  (await pageOf(store, filter)).items.map(({ incident }) => incident.id)

const audit = (action: AuditEntry['action'], subject: string): AuditEntry =>
  entry({ at: momentAt(20), actor: EVA, action, subject })

/** `count` incidents of one user, all but the last cancelled. Newest first. */
async function pressed({ user }: Pick<Site, 'user'>, count: number, from = 0): Promise<readonly string[]> {
  const ids: string[] = []
  for (let k = 0; k < count; k += 1) {
    ids.unshift(incidentOf(await user.presses(from + k * 10, at(k))).id)
    if (k < count - 1) await user.does(from + k * 10 + 5, { type: 'cancel' })
  }
  return ids
}

/** The lists and actions of operators. */
export function boardContract(subject: StoreUnderTest): void {
  suite('the board', () => {
    test('lists incidents with what a board says about them, by state, time, status and application', async (t) => {
      const site = await siteIn(subject, t, { contacts: ['Ana'] })
      const { store, user } = site
      const other = await site.newApplication('Lake')
      const swimmer = await site.newUser('swimmer', other.id)
      const [open, closed] = await pressed(site, 2)
      const elsewhere = incidentOf(await swimmer.presses(30, at(5))).id
      await user.presses(40, at(6))
      const all = [elsewhere, open, closed]
      assert.deepEqual(await idsOf(store), all)
      assert.deepEqual(await idsOf(store, { state: 'open' }), [open, elsewhere])
      assert.deepEqual(await idsOf(store, { state: 'closed' }), [closed])
      assert.deepEqual(await idsOf(store, { statuses: ['cancelled', 'resolved'] }), [closed])
      assert.deepEqual(await idsOf(store, { state: 'open', statuses: ['cancelled'] }), [])
      assert.deepEqual(await idsOf(store, { from: momentAt(10) }), [elsewhere, open])
      assert.deepEqual(await idsOf(store, { state: 'open', from: momentAt(10), to: momentAt(30) }), [open])
      assert.deepEqual(await idsOf(store, { to: momentAt(10) }), [closed])
      assert.deepEqual(await idsOf(store, { applications: [site.application.id] }), [open, closed])
      assert.deepEqual(await idsOf(store, { applications: [other.id], state: 'open' }), [elsewhere])
      assert.deepEqual(await idsOf(store, { applications: [site.application.id, other.id] }), all)
      assert.deepEqual(await idsOf(store, { applications: [] }), [])
      const record = await store.boardRecord(open!)
      assert.deepEqual(record, (await pageOf(store)).items[1])
      assert.deepEqual(
        { ...record, incident: null, lastPosition: null },
        {
          incident: null,
          lastPosition: null,
          person: { name: null, phone: null },
          applicationName: 'Hut',
          presses: 2,
          isCalledBack: false,
        },
      )
      assert.deepEqual(record?.lastPosition, (await store.incident(open!))?.lastPosition)
      assert.equal(await store.boardRecord(randomUUID()), null)
    })

    test('finds people by name, phone and external id, and an incident by the beginning of its id', async (t) => {
      const site = await siteIn(subject, t)
      const { store, user } = site
      await store.updateProfile(user.id, { name: 'Österle Ödön', phone: '+43 660 1234567' }, momentAt(-5))
      const hers = incidentOf(await user.presses(0)).id
      for (const groups of [['Wardens', 'Night'], []]) {
        await store.updatePerson(user.id, { groups }, momentAt(-4))
        const person = { name: 'Österle Ödön', phone: '+43 660 1234567', ...(groups.length > 0 && { groups }) }
        assert.deepEqual((await store.boardRecord(hers))?.person, person)
      }
      const other = await site.newUser('50%_off')
      const his = incidentOf(await other.presses(10)).id
      for (const text of ['österle', 'ÖDÖN', 'hiker-1', hers.slice(0, 13), ' österle ']) {
        assert.deepEqual(await idsOf(store, { text }), [hers], text)
      }
      assert.deepEqual(await idsOf(store, { text: '0%_o' }), [his], 'no character is a wildcard')
      assert.deepEqual(await idsOf(store, { text: '%' }), [his])
      assert.deepEqual(await idsOf(store, { text: "'; DROP TABLE incidents" }), [])
    })

    test('a page continues where the last one ended; a cursor of another list is none', async (t) => {
      const site = await siteIn(subject, t)
      const { store } = site
      const ids = await pressed(site, 5)
      const first = await pageOf(store, {}, { after: null, limit: 2 })
      const second = await pageOf(store, {}, { after: first.after, limit: 2 })
      const third = await pageOf(store, {}, { after: second.after, limit: 2 })
      const seen = [first, second, third].flatMap(({ items }) => items.map(({ incident }) => incident.id))
      assert.deepEqual(seen, ids)
      assert.equal(third.after, null)
      assert.equal((await pageOf(store, {}, { after: null, limit: 5 })).after, null, 'ends after a full page')
      const history = await store.history(site.user.id, { after: null, limit: 1 })
      const foreign = 'refused' in history ? '' : history.after
      assert.deepEqual(await store.board(ANY, { after: foreign, limit: 2 }), {
        items: [],
        after: null,
        badCursor: true,
      })
    })

    test('open ones come by urgency, over all pages, as they were last changed', async (t) => {
      const site = await siteIn(subject, t, { contacts: ['Ana'] })
      const { store } = site
      const others = await Promise.all(['second', 'third', 'fourth'].map((name) => site.newUser(name)))
      const ids: string[] = []
      for (const [n, user] of [site.user, ...others].entries()) ids.push(incidentOf(await user.presses(n * 10)).id)
      const [first, second, third, fourth] = ids as [string, string, string, string]
      const take = { type: 'acknowledge', contactId: null, name: 'Eva', operatorId: 'op-1', now: momentAt(60) } as const
      for (const incidentId of [first, third]) {
        await store.changeIncident({ incidentId }, take, audit('incident.take', incidentId))
      }
      const seen: string[] = []
      let after: string | null = null
      do {
        const page: Page<BoardRecord> = await pageOf(store, { state: 'open' }, { after, limit: 1 })
        seen.push(...page.items.map(({ incident }) => incident.id))
        after = page.after
      } while (after !== null)
      assert.deepEqual(seen, [second, fourth, first, third])
      const resolve = { type: 'resolve', by: 'operator', name: 'Eva', now: momentAt(70) } as const
      await store.changeIncident({ incidentId: second }, resolve, audit('incident.resolve', second))
      assert.deepEqual(await idsOf(store, { state: 'open' }), [fourth, first, third])
      const newest = await pageOf(store, {}, { after: null, limit: 1 })
      const foreign = await store.board({ ...ANY, state: 'open' }, { after: newest.after, limit: 2 })
      assert.deepEqual(foreign, { items: [], after: null, badCursor: true }, 'the cursor of a list in another order')
    })

    test('a change leaves its audit row in the same commit, and a command that changes nothing leaves none', async (t) => {
      const { store, user } = await siteIn(subject, t, { contacts: ['Ana'] })
      const { id } = incidentOf(await user.presses(0))
      const key = { incidentId: id }
      const take = { type: 'acknowledge', contactId: null, name: 'Eva', operatorId: 'op-1' } as const
      await store.changeIncident(key, { ...take, now: momentAt(20) }, audit('incident.take', id))
      await store.changeIncident(key, { ...take, now: momentAt(21) }, audit('incident.take', id))
      await store.addAuditRow(audit('incident.view', id))
      const resolve = { type: 'resolve', by: 'operator', name: 'Eva' } as const
      await Promise.all([
        store.changeIncident(key, { ...resolve, now: momentAt(30) }, audit('incident.resolve', id)),
        store.changeIncident(key, { ...resolve, now: momentAt(30) }, audit('incident.resolve', id)),
      ])
      const actions = await store.incidentActions(id, 10)
      assert.deepEqual(
        actions.map(({ action, actor }) => `${actor.name} ${action}`),
        ['Eva incident.take', 'Eva incident.resolve'],
      )
      assert.deepEqual(
        (await store.incidentActions(id, 1)).map(({ action }) => action),
        ['incident.resolve'],
      )
      assert.equal((await store.incident(id))?.incident.closing?.name, 'Eva')
    })

    test('says when each alert was made and arrived, and who was called back', async (t) => {
      const { store, user } = await siteIn(subject, t)
      const { id } = incidentOf(await user.presses(0))
      await user.presses(10)
      await user.presses(15, {}, 20)
      assert.deepEqual(await store.pressTimes(id, 2), [
        { pressedAt: momentAt(10), receivedAt: momentAt(10) },
        { pressedAt: momentAt(15), receivedAt: momentAt(20) },
      ])
      assert.deepEqual(await store.pressTimes(randomUUID(), 2), [])
      const tick = { by: 'Eva', at: momentAt(30) }
      await store.tickCalledBack(id, { ...tick, contactId: 'contact' }, audit('incident.called_back', id))
      assert.equal((await store.boardRecord(id))?.isCalledBack, false)
      await store.tickCalledBack(id, { ...tick, contactId: null }, audit('incident.called_back', id))
      assert.equal((await store.boardRecord(id))?.isCalledBack, true)
    })
  })
}
