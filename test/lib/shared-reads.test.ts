import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { FairTurns } from '../../src/lib/fair-turns.ts'
import { SharedReads } from '../../src/lib/shared-reads.ts'

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Reads that end when the test says so, one turn at a time. */
function site() {
  const shared = new SharedReads<string>()
  const turns = new FairTurns({ atOnce: 1, maxWaiting: 10 })
  const reads: {
    readonly key: string
    readonly done: (result: string) => void
    readonly fail: (error: Error) => void
  }[] = []
  return {
    reads,
    asks: (key: string, who: string = key) =>
      shared.run(
        key,
        async (work) => (await turns.run(who, work))!,
        () => new Promise((done, fail) => reads.push({ key, done, fail })),
      ),
  }
}

suite('reads that many ask for at once', () => {
  test('are made once for all who wait, and never with what was known before one asked', async () => {
    const { asks, reads } = site()
    const first = asks('board', 'Ana')
    const later = [asks('board', 'Ben'), asks('board', 'Cem'), asks('board', 'Dan')]
    reads[0]!.done('before')
    assert.equal(await first, 'before')
    while (reads.length === 1) await turn()
    reads[1]!.done('after')
    assert.deepEqual(await Promise.all(later), ['after', 'after', 'after'])
    assert.equal(reads.length, 2)
    const last = asks('board', 'Eva')
    reads[2]!.done('newest')
    assert.equal(await last, 'newest')
  })

  test('are apart for what is not alike', async () => {
    const { asks, reads } = site()
    const all = [asks('all'), asks('hut'), asks('lift')]
    for (let n = 0; n < 3; n += 1) {
      while (reads.length === n) await turn()
      reads[n]!.done(`of ${reads[n]!.key}`)
    }
    assert.deepEqual(await Promise.all(all), ['of all', 'of hut', 'of lift'])
  })

  test('fail for all who waited for them, and are made anew for the next', async () => {
    const { asks, reads } = site()
    const first = asks('board', 'Ana')
    const others = [asks('board', 'Ben'), asks('board', 'Cem')]
    reads[0]!.done('one')
    await first
    while (reads.length === 1) await turn()
    reads[1]!.fail(new Error('down'))
    assert.deepEqual(
      (await Promise.allSettled(others)).map(({ status }) => status),
      ['rejected', 'rejected'],
    )
    const next = asks('board', 'Ana')
    reads[2]!.done('up')
    assert.equal(await next, 'up')
  })
})
