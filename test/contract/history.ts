import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { HistoryRecord, Page } from '../../src/ports/store.ts'
import { at, incidentOf, type Site, type StoreUnderTest, siteIn } from './site.ts'

async function pageOf({ store, user }: Site, limit: number, after: string | null = null): Promise<Page<HistoryRecord>> {
  const page = await store.history(user.id, { after, limit })
  if ('refused' in page) throw new Error(page.refused)
  return page
}

const idsOf = (page: Page<HistoryRecord>): readonly string[] => page.items.map(({ incident }) => incident.id)

/** Opens and cancels one incident after the other. Returns their ids, newest first. */
async function past({ user }: Site, count: number, from = 0): Promise<readonly string[]> {
  const ids: string[] = []
  for (let k = 0; k < count; k += 1) {
    ids.unshift(incidentOf(await user.presses(from + k * 10, at(k))).id)
    await user.does(from + k * 10 + 5, { type: 'cancel' })
  }
  return ids
}

/** rules.md#history: every incident of the user, newest first, in stable pages. */
export function historyContract(subject: StoreUnderTest): void {
  suite('the history', () => {
    test('holds every incident, the open one included, with snapshot, last position and trail', async (t) => {
      const site = await siteIn(subject, t, { contacts: ['Ana'] })
      const [closed] = await past(site, 1)
      const open = await site.user.presses(100, at(50))
      const page = await pageOf(site, 10)
      assert.deepEqual(idsOf(page), [incidentOf(open).id, closed])
      assert.equal(page.after, null)
      assert.deepEqual(page.items[0], {
        incident: open.incident,
        lastPosition: open.lastPosition,
        trail: [open.lastPosition],
      })
      assert.equal(page.items[1]?.incident.state.status, 'cancelled')
    })

    test('does not show other users’ incidents', async (t) => {
      const site = await siteIn(subject, t)
      const other = await site.newUser('hiker-2')
      await past(site, 1)
      assert.deepEqual(await site.store.history(other.id, { after: null, limit: 5 }), { items: [], after: null })
    })

    test('continues where a page ended, whatever was added meanwhile', async (t) => {
      const site = await siteIn(subject, t)
      const ids = await past(site, 5)
      const first = await pageOf(site, 2)
      assert.deepEqual(idsOf(first), ids.slice(0, 2))
      await past(site, 2, 1000)
      const second = await pageOf(site, 2, first.after)
      assert.deepEqual(idsOf(second), ids.slice(2, 4))
      const last = await pageOf(site, 2, second.after)
      assert.deepEqual(idsOf(last), ids.slice(4))
      assert.equal(last.after, null)
    })

    test('distinguishes incidents of the same moment', async (t) => {
      const site = await siteIn(subject, t)
      for (const latitude of [1, 2, 3]) {
        await site.user.presses(latitude, at(latitude), 50)
        await site.user.does(50, { type: 'cancel' })
      }
      const all = idsOf(await pageOf(site, 3))
      const seen: string[] = []
      let after: string | null = null
      do {
        const page: Page<HistoryRecord> = await pageOf(site, 1, after)
        seen.push(...idsOf(page))
        after = page.after
      } while (after !== null)
      assert.equal(new Set(seen).size, 3)
      assert.deepEqual(seen, all)
    })

    test('ends after a full last page', async (t) => {
      const site = await siteIn(subject, t)
      await past(site, 2)
      assert.equal((await pageOf(site, 2)).after, null)
    })

    test('refuses a cursor that it did not issue', async (t) => {
      const site = await siteIn(subject, t)
      await past(site, 2)
      for (let k = 0; k < 2; k += 1) await site.user.sends(k)
      const rows = await site.store.telemetryHistory(site.user.id, { after: null, limit: 1, from: null, to: null })
      const { after } = await pageOf(site, 1)
      const others = [
        '',
        'x',
        'null',
        `${after}=`,
        after!.slice(0, -2),
        Buffer.from('[]').toString('base64url'),
        Buffer.from('{"a":1}').toString('base64url'),
        '../../etc/passwd',
        '😀',
        'A'.repeat(10_000),
        'after' in rows ? rows.after! : '',
      ]
      for (const cursor of others) {
        const answer = await site.store.history(site.user.id, { after: cursor, limit: 1 })
        assert.deepEqual(answer, { refused: 'bad_cursor' }, cursor.slice(0, 40))
      }
    })
  })
}
