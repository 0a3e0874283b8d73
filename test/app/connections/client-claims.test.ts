import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ClientClaims } from '../../../src/app/connections/client-claims.ts'
import type { ClientMoments } from '../../../src/ports/upkeep.ts'
import { until } from '../../harness/wait.ts'

const NOW = 1_000_000
const log = { info() {}, warn() {}, error() {} }

/** The claims of one node. Announcements wait until the test answers them; each client connected at `NOW`. */
function node({ hasOthers = true } = {}) {
  const asked: { readonly keys: readonly string[]; readonly answers: (moment?: number) => void; fails(): void }[] = []
  const announce: ClientMoments = (clients) =>
    new Promise((resolve, reject) => {
      asked.push({
        keys: clients.map(({ key }) => key),
        answers: (moment = NOW) => resolve(clients.map(() => moment)),
        fails: () => reject(new Error('no database')),
      })
    })
  const claims = new ClientClaims({
    announce,
    hasOthers: () => hasOthers,
    rests: { afterOneMs: 1, afterFailureMs: 1 },
    log,
  })
  const lost: string[] = []
  const claim = (key: string, name = key) => claims.claim(key, performance.now(), () => lost.push(name))
  const nth = async (n: number) => {
    await until(`announcement ${n + 1}`, () => asked.length > n)
    return asked[n]!
  }
  /** Answers an announcement, and waits until that is known. */
  const numbered = async (n: number, moment = NOW): Promise<void> => {
    ;(await nth(n)).answers(moment)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { claims, claim, lost, asked, nth, numbered }
}

test('a newer connection on another node wins, an older one does not', async () => {
  const { claims, claim, lost, numbered } = node()
  claim('phone')
  claim('tracker')
  await numbered(0)
  claims.hear([
    ['phone', NOW + 1],
    ['tracker', NOW - 1],
    ['of somebody else', NOW + 1],
  ])
  assert.deepEqual(lost, ['phone'])
  claims.hear([['phone', NOW + 2]])
  assert.deepEqual(lost, ['phone'])
})

test('while its own moment is not known, a node waits for it', async () => {
  const { claims, claim, lost, nth, numbered, asked } = node()
  claim('phone')
  claim('tracker')
  await nth(0)
  claims.hear([
    ['phone', NOW + 1],
    ['tracker', NOW - 1],
  ])
  assert.deepEqual(lost, [])
  await numbered(0)
  assert.deepEqual(lost, ['phone'])
  assert.equal(asked.length, 1)
})

test('a client that reconnects again and again is announced once, with its newest connection', async () => {
  const { claims, claim, lost, nth, numbered } = node()
  const former = claim('phone', 'first')
  await nth(0)
  for (const name of ['second', 'third']) claim('phone', name)
  former()
  await numbered(0)
  assert.deepEqual((await nth(1)).keys, ['phone'])
  await numbered(1, NOW + 10)
  claims.hear([['phone', NOW + 5]])
  assert.deepEqual(lost, [])
  claims.hear([['phone', NOW + 15]])
  assert.deepEqual(lost, ['third'])
})

test('who has left in the meantime is not announced, and loses nothing', async () => {
  const { claims, claim, lost, nth, numbered } = node()
  claim('first')
  await nth(0)
  claim('gone')()
  claim('stays')
  await numbered(0)
  assert.deepEqual((await nth(1)).keys, ['stays'])
  claims.hear([['gone', NOW + 1]])
  assert.deepEqual(lost, [])
})

test('an announcement that fails is repeated', async () => {
  const { claim, nth } = node()
  claim('phone')
  ;(await nth(0)).fails()
  assert.deepEqual((await nth(1)).keys, ['phone'])
})

test('alone, a node announces nobody, until another one asks for a client or begins to live', async () => {
  const { claims, claim, lost, asked, nth, numbered } = node({ hasOthers: false })
  claim('phone')
  claim('tracker')
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(asked.length, 0)
  claims.hear([['phone', NOW + 1]])
  assert.deepEqual((await nth(0)).keys, ['phone'])
  await numbered(0)
  assert.deepEqual(lost, ['phone'])
  claims.meet()
  assert.deepEqual((await nth(1)).keys, ['tracker'])
})
