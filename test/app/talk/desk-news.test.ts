import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { deskNews } from '../../../src/app/talk/desk-news.ts'
import { operatorCalled } from '../operator/cast.ts'

const LOOK_MS = 30_000
const openOf = (n: number) => ({ appId: 'hut', userId: `hiker-${n}`, incidentId: `i${n}` })

/** With so many open alarms. What is told waits for the test: `rests` are the pauses, `looks` the next look. */
function desk(open: number) {
  const told: string[] = []
  const rests: (() => void)[] = []
  const looks: (() => void)[] = []
  const reads: number[] = []
  const signedIn = new Set(['eva'])
  let fails = false
  const news = deskNews({
    store: {
      async openTalks(max) {
        reads.push(max)
        if (fails) throw new Error('the disk is gone')
        return Array.from({ length: Math.min(open, max) }, (_, n) => openOf(n))
      },
      async operatorsSignedIn(now, since) {
        assert.equal(now, since)
        if (fails) throw new Error('the disk is gone')
        return [...signedIn].map((id) => operatorCalled(id))
      },
      apiTokens: async () => [],
    },
    clock: {
      now: () => 0,
      after(ms, run) {
        if (ms === LOOK_MS) {
          looks.push(run)
          return () => void looks.pop()
        }
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
    ...{ news, told, reads, rests, looks, turn, signedIn },
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

  test('somebody whose session has run out is told of by the next look, once', async () => {
    const { news, told, looks, turn, signedIn, fails } = desk(1)
    const look = async (): Promise<number> => {
      looks.shift()!()
      await turn()
      return told.length
    }
    assert.equal(await look(), 0, 'nothing is known before the first look')
    signedIn.add('ben')
    news.changed()
    await turn()
    assert.deepEqual([told.length, await look()], [1, 1], 'what was told is not told again')
    signedIn.delete('ben')
    fails(true)
    assert.equal(await look(), 1)
    fails(false)
    assert.deepEqual([await look(), await look()], [2, 2])
    await news.stop()
    assert.deepEqual(looks, [])
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
