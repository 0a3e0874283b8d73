import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { INSIST_MS, insist } from '../../console/logic/insist.ts'
import { fieldWith, MAX_WRITTEN, sentBody, type Written, withWritten } from '../../console/logic/written.ts'

const LOST = new Error('lost')
const REFUSED = new Error('refused')

/** Tries on a clock of their own: each takes `lasts` ms and ends as `outcomes` say, the last one again and again. */
async function tries(
  outcomes: readonly (Error | 'taken')[],
  { lasts = 10, hiddenAfter = Number.POSITIVE_INFINITY } = {},
) {
  let now = 0
  const at: number[] = []
  const work = async (): Promise<string> => {
    at.push(now)
    now += lasts
    const outcome = outcomes[at.length - 1] ?? outcomes.at(-1)!
    if (outcome instanceof Error) throw outcome
    return outcome
  }
  const around = {
    now: () => now,
    wait: async (ms: number) => {
      now += ms
    },
    isVisible: () => now < hiddenAfter,
    isLost: (error: unknown) => error === LOST,
  }
  const result = await insist(work, around).catch((error: Error) => error)
  return { at, result }
}

suite('without a network', () => {
  test('“I’ll take it” is repeated for 15 s at most, and nothing of it is left for later', async () => {
    assert.deepEqual(await tries(['taken']), { at: [0], result: 'taken' })
    const again = await tries([LOST, LOST, 'taken'])
    assert.deepEqual([again.at.length, again.result], [3, 'taken'])
    const never = await tries([LOST])
    assert.equal(never.result, LOST)
    assert.ok(never.at.length > 5 && never.at.at(-1)! < INSIST_MS)
    const slow = await tries([LOST], { lasts: 14_000 })
    assert.equal(slow.at.length, 1)
  })

  test('a refusal is never repeated, and a page that nobody sees repeats nothing', async () => {
    assert.deepEqual(await tries([REFUSED, 'taken']), { at: [0], result: REFUSED })
    const hidden = await tries([LOST], { hiddenAfter: 4_000 })
    assert.ok(hidden.at.at(-1)! < 4_000 && hidden.at.length < 4)
  })

  test('a note that the service refuses goes back into its field, in front of what was typed since', () => {
    const one = (path: Written['path'], text: string) => ({ incidentId: 'x', path, body: { text }, at: 1, error: null })
    const back = [one('notes', 'Rope team off'), one('called-back', 'no note'), one('notes', 'Fog')]
    assert.equal(fieldWith(back, 'Now clear'), 'Rope team off\nFog\nNow clear')
    assert.equal(fieldWith(back, ''), 'Rope team off\nFog')
    assert.equal(fieldWith([], 'Now clear'), 'Now clear')
  })

  test('what was written waits with its time, and no more than can be kept', () => {
    const note: Written = { incidentId: 'x', path: 'notes', body: { text: 'Rope team off' }, at: 1_000 }
    assert.deepEqual(sentBody(note), { text: 'Rope team off', writtenAt: '1970-01-01T00:00:01.000Z' })
    let line: readonly Written[] = []
    for (let n = 0; n < MAX_WRITTEN; n++) line = withWritten(line, note)!
    assert.equal(withWritten(line, note), null)
  })
})
