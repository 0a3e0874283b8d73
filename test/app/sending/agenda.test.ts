import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Agenda } from '../../../src/app/sending/agenda.ts'
import type { Due } from '../../../src/ports/store.ts'

const idsOf = (count: number, prefix = 'incident'): readonly string[] =>
  Array.from({ length: count }, (_, n) => `${prefix}-${n}`)

/** An agenda before a store in which `due` is due, by id. `asked`: how many were left out of each question. */
function agendaOver(due: readonly string[], drills: readonly string[] = []) {
  const asked: number[] = []
  const others = (except: readonly string[]): Due => {
    const left = new Set(except)
    const of = (ids: readonly string[]) => ids.filter((id) => !left.has(id))
    return { real: of(due), drills: of(drills) }
  }
  const agenda = new Agenda({
    async due(_now, limit, except = []) {
      asked.push(except.length)
      const { real, drills } = others(except)
      return { real: real.slice(0, limit), drills: drills.slice(0, Math.max(0, limit - real.length)) }
    },
    nextActionAt: async (except = []) => (Object.values(others(except)).flat().length > 0 ? 0 : null),
  })
  return { agenda, asked, dueAt: (now: number) => dueOf(agenda, now) }
}

/** What is due, in the order in which it is seen to. */
async function dueOf(agenda: Agenda, now: number): Promise<readonly string[]> {
  const { real, drills } = await agenda.due(now)
  return [...real, ...drills]
}

/** Lets everything that is due get in line, look by look, at the same moment. Returns how many looks that took. */
async function getAllInLine(agenda: Agenda, now: number): Promise<number> {
  for (let looks = 1; ; looks += 1) {
    const due = await dueOf(agenda, now)
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
  const { agenda, asked, dueAt } = agendaOver(idsOf(1))
  await agenda.due(86_400_000)
  agenda.shift(-86_400_000)
  assert.deepEqual(await dueAt(0), ['incident-0'])
  assert.equal(asked.length, 2)
})

test('in line: looked at when it changes, when anything may have, and when something else of it is due', async () => {
  const { agenda, dueAt } = agendaOver(idsOf(2))
  await getAllInLine(agenda, 1_000)
  assert.equal(agenda.changed('incident-1', null, 2_000), 2_000)
  assert.deepEqual(await dueAt(2_000), ['incident-1'])
  agenda.standsInLine('incident-1', 50_000)
  assert.equal(agenda.changed(null, null, 3_000), 3_000)
  assert.deepEqual(await dueAt(3_000), ['incident-0', 'incident-1'])
  for (const id of idsOf(2)) agenda.standsInLine(id, 50_000)
  assert.deepEqual(await dueAt(49_999), [])
  assert.deepEqual(await dueAt(50_000), ['incident-0', 'incident-1'])
})

test('who is out of line again counts as overdue; who waits for a turn does not', async () => {
  const { agenda } = agendaOver(idsOf(2))
  await getAllInLine(agenda, 1_000)
  assert.equal(await agenda.overdueMs(9_000), 0)
  agenda.isOutOfLine('incident-0', 1_000)
  assert.equal(await agenda.overdueMs(9_000), 9_000)
})

test('drills in line are seen to behind everything real, in line or not', async () => {
  const { agenda, dueAt } = agendaOver(['alarm'], ['another'])
  agenda.standsInLine('drill', 1_000, true)
  agenda.standsInLine('waiting', 1_000)
  assert.deepEqual(await dueAt(1_000), ['waiting', 'alarm', 'another', 'drill'])
})

test('of many drills each look sees to fifty, each once, and to everything real before them', async () => {
  const real = ['alarm-0']
  const drills = idsOf(120, 'drill')
  const { agenda } = agendaOver(real, drills)
  assert.deepEqual(await agenda.due(1_000), { real, drills: drills.slice(0, 50), isMore: true })
  real.push('alarm-1')
  assert.deepEqual(await agenda.due(1_001), { real, drills: drills.slice(50, 100), isMore: true })
  const last = await agenda.due(1_002)
  assert.deepEqual(last.drills, drills.slice(100))
  assert.equal(last.isMore, false, 'a drill that nothing can be done for does not keep the looks going')
  assert.deepEqual((await agenda.due(1_003)).drills, drills.slice(0, 50))
})
