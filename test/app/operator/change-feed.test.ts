import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { ChangeFeed } from '../../../src/app/operator/change-feed.ts'

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

function feedFor(listeners: number, kept?: number) {
  let eras = 0
  const logged: string[] = []
  const log = { error: (_fields: object, message: string) => void logged.push(message) }
  const feed = new ChangeFeed({ newEra: () => `era${++eras}`, log, kept })
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
    logged,
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

  for (const fails of ['changed', 'reload'] as const) {
    test(`a listener whose ${fails} throws is ended to start over, and the others hear everything`, async () => {
      const { feed, appends, some, logged, follow, settle } = feedFor(5)
      const heard: string[] = []
      const breaks = (): never => {
        throw new Error('broken')
      }
      const listener = { changed: () => {}, reload: () => {}, end: () => void heard.push('end') }
      feed.follow(null, { ...listener, [fails]: breaks })
      // It ends no better.
      feed.follow(null, { ...listener, [fails]: breaks, end: breaks })
      const last = follow()
      appends('a')
      await settle()
      feed.startAnew()
      appends('b')
      await settle()
      for (const { heard } of [...some, last]) assert.deepEqual(heard, ['a', 'reload era2.0', 'b'])
      assert.deepEqual(heard, ['end'])
      assert.equal(logged.length, 3)
      appends('c')
      await settle()
      assert.deepEqual([heard, logged.length], [['end'], 3], 'it is told nothing more')
    })
  }

  test('the end reaches every listener, also behind one that throws', async () => {
    const { feed, follow, logged } = feedFor(0)
    const end = () => {
      throw new Error('broken')
    }
    feed.follow(null, { changed: () => {}, reload: () => {}, end })
    const { heard } = follow()
    feed.end()
    assert.deepEqual(heard, ['end'])
    assert.equal(logged.length, 1)
    assert.equal(feed.isFollowed, false)
  })
})
