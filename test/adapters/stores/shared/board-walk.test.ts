import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type BoardReads, boardPage, type Candidate } from '../../../../src/adapters/stores/shared/board-walk.ts'
import type { BoardRecord, IncidentFilter } from '../../../../src/ports/store.ts'

const urgencyAt = (number: number): number => (number > 4_000 && number <= 4_010 ? 0 : 1 + (number % 4))
const isBehind = (one: Candidate, place: { readonly urgency: number; readonly number: number }): boolean =>
  one.urgency > place.urgency || (one.urgency === place.urgency && one.number > place.number)
const ANY: IncidentFilter = { state: 'all', statuses: null, applications: null, from: null, to: null, text: null }

/**
 * Incidents 1 to `count`, each of a user of its own; of open ones 4,001 to 4,010 are the most urgent. `looks`: how
 * many rows each read asked for.
 */
function listOf(count: number) {
  const looks: number[] = []
  const candidate = (number: number): Candidate => ({
    number,
    id: `id-${number}`,
    appId: number % 2 === 0 ? 'even' : 'odd',
    openedAt: number,
    status: null,
    urgency: urgencyAt(number),
    externalUserId: `user-${number}.`,
    name: null,
    phone: `+43660${String(number).padStart(6, '0')}`,
  })
  const inOrder = Array.from({ length: count }, (_, k) => candidate(k + 1)).toSorted(
    (a, b) => a.urgency - b.urgency || a.number - b.number,
  )
  const reads: BoardReads = {
    async candidates({ state }, { urgency, number: before }, limit) {
      looks.push(limit)
      if (state === 'open') return inOrder.filter((one) => isBehind(one, { urgency, number: before })).slice(0, limit)
      const first = Math.min(before - 1, count)
      return Array.from({ length: Math.max(0, Math.min(limit, first)) }, (_, k) => candidate(first - k))
    },
    async records(numbers) {
      looks.push(numbers.length)
      return numbers.map((number) => ({ presses: number }) as BoardRecord)
    },
  }
  const page = async (filter: Partial<IncidentFilter>, limit: number, after: string | null = null) => {
    const found = await boardPage(reads, { ...ANY, ...filter }, { after, limit })
    return { numbers: found.items.map(({ presses }) => presses), after: found.after }
  }
  return { page, looks }
}

suite('a walk through the incidents', () => {
  test('looks at 20,000 of them in small steps, however few match, and goes on from there', async () => {
    const { page, looks } = listOf(50_000)
    const first = await page({ text: 'user-17.' }, 10)
    assert.deepEqual(first.numbers, [])
    const seen = looks.reduce((sum, rows) => sum + rows, 0)
    assert.ok(seen >= 20_000 && seen < 21_000, String(seen))
    assert.ok(Math.max(...looks) <= 500)
    const second = await page({ text: 'user-17.' }, 10, first.after)
    const third = await page({ text: 'user-17.' }, 10, second.after)
    assert.deepEqual([second.numbers, third.numbers, third.after], [[], [17], null])
  })

  test('5,000 open incidents come a thousand at a time, each once, the most urgent of all first', async () => {
    const { page, looks } = listOf(5_000)
    const seen: number[] = []
    let after: string | null = null
    do {
      const next = await page({ state: 'open' }, 1_000, after)
      assert.ok(next.numbers.length <= 1_000)
      seen.push(...next.numbers)
      after = next.after
    } while (after !== null)
    const all = Array.from({ length: 5_000 }, (_, k) => k + 1)
    assert.deepEqual(
      seen,
      all.toSorted((a, b) => urgencyAt(a) - urgencyAt(b) || a - b),
    )
    assert.deepEqual(seen.slice(0, 10), all.slice(4_000, 4_010))
    assert.ok(looks.every((rows) => rows <= 500))
  })

  test('shows what the caller may see, and finds a phone however it is typed', async () => {
    const { page } = listOf(100)
    const odd = await page({ applications: ['odd'] }, 3)
    assert.deepEqual(odd.numbers, [99, 97, 95])
    for (const text of ['+43 660 000042', '0043660000042', '660-000042']) {
      assert.deepEqual((await page({ text }, 3)).numbers, [42], text)
    }
    assert.deepEqual((await page({ applications: ['odd'], text: '+43660000042' }, 3)).numbers, [])
  })
})
