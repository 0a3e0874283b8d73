import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { suite, test } from 'node:test'
import { entry } from '../../src/core/operator/audit.ts'
import { momentAt } from '../core/build.ts'
import { incidentOf, type StoreUnderTest, siteIn } from './site.ts'

const EVA = { kind: 'operator', id: 'op-1', name: 'Eva' } as const

/** Major incidents (rules.md#major). */
export function majorContract(subject: StoreUnderTest): void {
  suite('major incidents', () => {
    test('alarms are found by theirs, across applications, ended ones too, until they leave it or are erased', async (t) => {
      const site = await siteIn(subject, t, { contacts: ['Ana'] })
      const { store, user, application } = site
      const other = await site.newApplication('Lake')
      const swimmer = await site.newUser('swimmer', other.id)
      const [first, second] = [incidentOf(await user.presses(0)).id, incidentOf(await swimmer.presses(5)).id]
      const marks = (incidentId: string, id: string | null, seconds: number, from?: string) =>
        store.changeIncident(
          { incidentId },
          {
            ...{ type: 'mark', now: momentAt(seconds), name: 'Eva' },
            major: id === null ? null : { id, startedAt: momentAt(0) },
            ...(from !== undefined && { from }),
          },
          entry({ at: momentAt(seconds), actor: EVA, action: 'incident.major', subject: incidentId }),
        )
      const ids = async (max = 10) => (await store.majorRecords(first, max)).map(({ incident }) => incident.id)
      assert.deepEqual([await store.majorParts(first), await store.openMajors(), await ids()], [[], 0, []])
      await marks(first, first, 10)
      await marks(second, first, 11)
      const part = { isDrill: false, alarms: 1 }
      const parts = [
        { ...part, appId: application.id, incidentId: first },
        { ...part, appId: other.id, incidentId: second },
      ]
      const byId = (one: readonly (typeof parts)[number][]) =>
        one.toSorted((a, b) => (a.incidentId < b.incidentId ? -1 : 1))
      assert.deepEqual(byId([...(await store.majorParts(first))]), byId(parts))
      assert.deepEqual([await store.openMajors(), await ids(), await ids(1)], [1, [first, second], [first]])
      assert.deepEqual(await store.majorRecords(first, 1), [await store.boardRecord(first)])
      await marks(second, second, 12, first)
      assert.deepEqual([await store.openMajors(), await ids()], [2, [first]])
      await marks(second, first, 13, second)
      const resolve = { type: 'resolve', by: 'operator', name: 'Eva', now: momentAt(20) } as const
      await store.changeIncident({ incidentId: first }, resolve)
      assert.deepEqual([await store.openMajors(), await ids()], [1, [first, second]], 'an ended one is still in it')
      await marks(second, null, 30, first)
      assert.deepEqual([await store.openMajors(), await ids()], [0, [first]])
      await store.eraseUser(application.id, 'hiker-1', 100)
      assert.deepEqual([await store.majorParts(first), await store.majorRecords(randomUUID(), 5)], [[], []])
      const rows = (await store.incidentActions(second, 10)).map(({ action }) => action)
      assert.deepEqual(rows, Array(4).fill('incident.major'))
    })
  })
}
