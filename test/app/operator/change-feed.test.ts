import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { ChangeFeed } from '../../../src/app/operator/change-feed.ts'

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

function feedFor(listeners: number, kept?: number) {
  let eras = 0
  const feed = new ChangeFeed(() => `era${++eras}`, kept)
  const follow = (known: string | null = null) => {
    const heard: string[] = []
    const following = feed.follow(known, {
      changed: (changes) => void heard.push(...changes.map(({ text }) => text)),
      reload: (id) => void heard.push(`reload ${id}`),
      end: () => void heard.push('end'),
    })
    return { heard, ...following }
  }
  const some = Array.from({ length: listeners }, () => follow())
  return {
    feed,
    follow,
    some,
    appends: (...texts: string[]) =>
      feed.append(texts.map((text) => ({ event: 'incident', applicationId: 'hut', text }))),
    /** How many have heard of it. */
    haveHeard: (text: string) => some.filter(({ heard }) => heard.includes(text)).length,
    async settle() {
      for (let round = 0; round < 30; round += 1) await turn()
    },
  }
}

suite('the feed of changes', () => {
  test('tells fifty listeners a few at a time, with other work in between', async () => {
    const { appends, haveHeard, settle } = feedFor(50)
    appends('a')
    const steps = [haveHeard('a')]
    while (steps.at(-1)! < 50) {
      await turn()
      steps.push(haveHeard('a'))
    }
    for (const [n, count] of steps.entries()) assert.ok(count - (steps[n - 1] ?? 0) <= 8, `${steps}`)
    await settle()
    assert.equal(haveHeard('a'), 50)
  })

  test('a listener that lags behind gets what came meanwhile together, in order and once', async () => {
    const { appends, some, settle } = feedFor(50)
    appends('a')
    appends('b', 'c')
    assert.deepEqual(some[49]!.heard, [])
    await turn()
    appends('d')
    await settle()
    for (const { heard } of some) assert.deepEqual(heard, ['a', 'b', 'c', 'd'])
  })

  test('the id of a listener is that of the last change it was told, also while others know more', async () => {
    const { appends, some, follow, settle } = feedFor(50)
    appends('a')
    assert.deepEqual([some[0]!.id(), some[49]!.id()], ['era1.1', 'era1.0'])
    assert.deepEqual(follow(some[49]!.id()).missed.length, 1)
    await settle()
    assert.equal(some[49]!.id(), 'era1.1')
  })

  test('a listener that comes in the middle is told nothing twice, and one that leaves nothing more', async () => {
    const { appends, some, follow, settle } = feedFor(50)
    appends('a')
    const knowsNothing = follow('era1.0')
    const isNew = follow()
    some[49]!.stop()
    await settle()
    assert.deepEqual(
      [knowsNothing.missed, knowsNothing.heard, isNew.heard, some[49]!.heard].map((all) => all.length),
      [1, 0, 0, 0],
    )
  })

  test('those who have not been told when the numbers begin anew read the board again, and hear nothing old', async () => {
    const { feed, appends, some, settle } = feedFor(50)
    appends('old')
    feed.startAnew()
    appends('new')
    await settle()
    assert.deepEqual(some[0]!.heard, ['old', 'reload era2.1'])
    assert.deepEqual(some[49]!.heard, ['reload era2.1'])
    appends('newer')
    await settle()
    for (const { heard } of some) assert.equal(heard.at(-1), 'newer')
  })

  test('a listener that lags behind further than is kept reads the board again', async () => {
    const { appends, some, settle } = feedFor(20, 2)
    appends('a')
    appends('b', 'c', 'd')
    await settle()
    assert.deepEqual(some[0]!.heard, ['a', 'reload era1.4'])
    assert.deepEqual(some[19]!.heard, ['reload era1.4'])
  })

  test('the end is told to all, and nothing after it', async () => {
    const { feed, appends, some, settle } = feedFor(50)
    appends('a')
    feed.end()
    await settle()
    for (const { heard } of some) assert.equal(heard.at(-1), 'end')
    assert.deepEqual(some[49]!.heard, ['end'])
  })
})
