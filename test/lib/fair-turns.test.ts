import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { FairTurns } from '../../src/lib/fair-turns.ts'

/** Turns whose pieces of work run until the test ends them, by name. */
function turnsOf(options: { readonly atOnce: number; readonly maxWaiting: number }) {
  const turns = new FairTurns(options)
  const begun: string[] = []
  const ends = new Map<string, PromiseWithResolvers<string>>()
  return {
    begun,
    run(caller: string, name: string, given?: { readonly isGoingOn?: boolean }) {
      const end = Promise.withResolvers<string>()
      ends.set(name, end)
      return turns.run(
        caller,
        () => {
          begun.push(name)
          return end.promise
        },
        given,
      )
    },
    async end(name: string) {
      ends.get(name)!.resolve(name)
      await settled()
    },
    async fail(name: string) {
      ends.get(name)!.reject(new Error(name))
      await settled()
    },
  }
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))
/** Until the piece that was waiting has begun. */
async function settled() {
  await nextTurn()
  await nextTurn()
}

suite('work in fair turns', () => {
  test('so much runs at once, and the rest in its order', async () => {
    const { run, end, begun } = turnsOf({ atOnce: 2, maxWaiting: 9 })
    const results = ['1', '2', '3', '4'].map((name) => run('ana', name))
    assert.deepEqual(begun, ['1', '2'])
    await end('2')
    assert.deepEqual(begun, ['1', '2', '3'])
    for (const name of ['1', '3', '4']) await end(name)
    assert.deepEqual(await Promise.all(results), ['1', '2', '3', '4'])
  })

  test('nobody waits behind the backlog of another', async () => {
    const { run, end, begun } = turnsOf({ atOnce: 1, maxWaiting: 9 })
    for (const name of ['a1', 'a2', 'a3']) void run('ana', name)
    void run('ben', 'b1')
    void run('eva', 'e1')
    for (const name of ['a1', 'a2', 'b1', 'e1', 'a3']) await end(name)
    assert.deepEqual(begun, ['a1', 'a2', 'b1', 'e1', 'a3'])
  })

  test('what waits is bounded by caller, but goes on where it has begun', async () => {
    const { run, end, begun } = turnsOf({ atOnce: 1, maxWaiting: 1 })
    const [first, second] = [run('ana', 'a1'), run('ana', 'a2')]
    assert.equal(await run('ana', 'a3'), null)
    const goingOn = run('ana', 'a4', { isGoingOn: true })
    const other = run('ben', 'b1')
    for (const name of ['a1', 'a2', 'b1', 'a4']) await end(name)
    assert.deepEqual(await Promise.all([first, second, goingOn, other]), ['a1', 'a2', 'a4', 'b1'])
    assert.deepEqual(begun, ['a1', 'a2', 'b1', 'a4'])
    const later = run('ana', 'a5')
    await end('a5')
    assert.equal(await later, 'a5', 'there is room again')
  })

  test('other work of the process comes in between, also where none of the pieces waits for anything', async () => {
    const turns = new FairTurns({ atOnce: 1, maxWaiting: 9 })
    const done: string[] = []
    const pieces = ['1', '2', '3'].map((name) => turns.run('ana', async () => void done.push(name)))
    const others = (async () => {
      for (let n = 0; n < 3; n += 1) {
        await nextTurn()
        done.push('other')
      }
    })()
    await Promise.all([...pieces, others])
    assert.equal(done[0], '1')
    for (const [before, after] of [
      ['1', '2'],
      ['2', '3'],
    ] as const) {
      assert.ok(done.slice(done.indexOf(before), done.indexOf(after)).includes('other'), done.join())
    }
  })

  test('what fails gives its turn to the next, and fails for its own caller alone', async () => {
    const { run, end, fail } = turnsOf({ atOnce: 1, maxWaiting: 9 })
    const refused = assert.rejects(run('ana', '1'), /^Error: 1$/)
    const next = run('ben', '2')
    await fail('1')
    await refused
    await end('2')
    assert.equal(await next, '2')
  })
})
