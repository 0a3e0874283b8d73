import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { deskNews } from '../../../src/app/talk/desk-news.ts'

const openOf = (n: number) => ({ appId: 'hut', userId: `hiker-${n}`, incidentId: `i${n}` })

/** With so many open alarms. What is told waits for the test: `rests` are the pauses. */
function desk(open: number) {
  const told: string[] = []
  const rests: (() => void)[] = []
  const reads: number[] = []
  let fails = false
  const news = deskNews({
    store: {
      async openTalks(max) {
        reads.push(max)
        if (fails) throw new Error('the disk is gone')
        return Array.from({ length: Math.min(open, max) }, (_, n) => openOf(n))
      },
    },
    clock: {
      after(ms, run) {
        assert.equal(ms, 250)
        rests.push(run)
        return () => {}
      },
    },
    log: { error() {}, warn() {}, info() {} },
    tell: ({ userId }) => void told.push(userId),
  })
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  return {
    ...{ news, told, reads, rests, turn },
    fails(is: boolean) {
      fails = is
    },
    async rest() {
      rests.shift()!()
      await turn()
    },
  }
}

// rules.md#talk: the person sees who reads before writing.
suite('who is at the rescue desk', () => {
  test('is told to everybody in an alarm, fifty at a time', async () => {
    const { news, told, rests, turn, rest } = desk(120)
    news.changed()
    await turn()
    assert.equal(told.length, 50)
    await rest()
    await rest()
    assert.deepEqual(
      told,
      Array.from({ length: 120 }, (_, n) => `hiker-${n}`),
    )
    assert.equal(rests.length, 0)
  })

  test('changes while everybody is told are told once more, together', async () => {
    const { news, told, reads, turn, rest } = desk(60)
    for (let k = 0; k < 5; k++) news.changed()
    await turn()
    for (let k = 0; k < 5; k++) news.changed()
    await rest()
    assert.equal(told.length, 60 + 50)
    await rest()
    assert.deepEqual([told.length, reads], [120, [10_000, 10_000]])
    news.changed()
    await turn()
    assert.equal(told.length, 170)
  })

  test('a store that fails costs one telling, and a stop ends it', async () => {
    const { news, told, turn, fails } = desk(60)
    fails(true)
    news.changed()
    await turn()
    fails(false)
    news.changed()
    await turn()
    assert.equal(told.length, 50)
    const stopped = news.stop()
    await stopped
    assert.equal(told.length, 50)
    news.changed()
    await turn()
    assert.equal(told.length, 50)
  })
})
