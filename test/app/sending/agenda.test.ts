import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Agenda } from '../../../src/app/sending/agenda.ts'

const idsOf = (count: number, prefix = 'incident'): readonly string[] =>
  Array.from({ length: count }, (_, n) => `${prefix}-${n}`)

/** An agenda before a store in which `due` is due, by id. `asked`: how many were left out of each question. */
function agendaOver(due: readonly string[]) {
  const asked: number[] = []
  const others = (except: readonly string[]) => {
    const left = new Set(except)
    return due.filter((id) => !left.has(id))
  }
  const agenda = new Agenda({
    async due(_now, limit, except = []) {
      asked.push(except.length)
      return others(except).slice(0, limit)
    },
    nextActionAt: async (except = []) => (others(except).length > 0 ? 0 : null),
  })
  return { agenda, asked }
}

/** Lets everything that is due get in line, look by look, at the same moment. Returns how many looks that took. */
async function getAllInLine(agenda: Agenda, now: number): Promise<number> {
  for (let looks = 1; ; looks += 1) {
    const due = await agenda.due(now)
    if (due.length === 0) return looks
    for (const id of due) agenda.standsInLine(id, now + 60_000)
  }
}

test('ten thousand incidents get in line at once, 500 a look', async () => {
  const { agenda, asked } = agendaOver(idsOf(10_000))
  assert.equal(await getAllInLine(agenda, 1_000), 21)
  assert.equal(asked.at(-1), 10_000)
  assert.equal(await agenda.overdueMs(9_000), 0)
})

test('the more are in line, the longer the store rests between questions', async () => {
  const { agenda, asked } = agendaOver(idsOf(10_000))
  await getAllInLine(agenda, 1_000)
  const before = asked.length
  for (let ms = 1; ms <= 1_000; ms += 1) {
    // As if an alarm came due in every millisecond.
    agenda.othersFrom(1_000 + ms)
    await agenda.due(1_000 + ms)
  }
  assert.equal(asked.length - before, 10)
})

test('control: with nothing in line it is asked whenever something is due', async () => {
  const { agenda, asked } = agendaOver([])
  for (let ms = 1; ms <= 1_000; ms += 1) {
    agenda.othersFrom(1_000 + ms)
    await agenda.due(1_000 + ms)
  }
  assert.equal(asked.length, 1_000)
})

test('before anything is due the store is asked once a second, whatever this process knows', async () => {
  const { agenda, asked } = agendaOver([])
  for (let ms = 0; ms < 10_000; ms += 100) await agenda.due(1_000 + ms)
  assert.equal(asked.length, 10)
})

test('a clock that is set back by a day does not keep it from asking', async () => {
  const { agenda, asked } = agendaOver(idsOf(1))
  await agenda.due(86_400_000)
  agenda.shift(-86_400_000)
  assert.deepEqual(await agenda.due(0), ['incident-0'])
  assert.equal(asked.length, 2)
})

test('in line: looked at when it changes, when anything may have, and when something else of it is due', async () => {
  const { agenda } = agendaOver(idsOf(2))
  await getAllInLine(agenda, 1_000)
  assert.equal(agenda.changed('incident-1', null, 2_000), 2_000)
  assert.deepEqual(await agenda.due(2_000), ['incident-1'])
  agenda.standsInLine('incident-1', 50_000)
  assert.equal(agenda.changed(null, null, 3_000), 3_000)
  assert.deepEqual(await agenda.due(3_000), ['incident-0', 'incident-1'])
  for (const id of idsOf(2)) agenda.standsInLine(id, 50_000)
  assert.deepEqual(await agenda.due(49_999), [])
  assert.deepEqual(await agenda.due(50_000), ['incident-0', 'incident-1'])
})

test('who is out of line again counts as overdue; who waits for a turn does not', async () => {
  const { agenda } = agendaOver(idsOf(2))
  await getAllInLine(agenda, 1_000)
  assert.equal(await agenda.overdueMs(9_000), 0)
  agenda.isOutOfLine('incident-0', 1_000)
  assert.equal(await agenda.overdueMs(9_000), 9_000)
})

test('drills in line are seen to behind everything real, in line or not', async () => {
  const { agenda } = agendaOver(['waiting', 'drill', 'alarm'])
  agenda.standsInLine('drill', 1_000, true)
  agenda.standsInLine('waiting', 1_000)
  assert.deepEqual(await agenda.due(1_000), ['waiting', 'alarm', 'drill'])
})
