import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { StoreError } from '../../src/ports/store.ts'
import { brokerAnswers } from '../../src/service/own-listener.ts'
import { feedWatchdog, stuckParts } from '../../src/service/watchdog.ts'
import { startProcessSite, UNHURRIED } from '../harness/process-site.ts'

const well = {
  store: { checkWritable: async () => {} },
  brokerAnswers: async () => {},
  dispatcherStalledMs: async () => 0,
}
const never = () => new Promise<never>(() => {})

/** Runs this many checks in sequence, and returns how often the watchdog was fed and what was logged. */
async function fedOver(looks: number, parts: Partial<typeof well>): Promise<{ fed: number; reasons: unknown[] }> {
  let fed = 0
  const reasons: unknown[] = []
  let left = looks
  await new Promise<void>((resolve) => {
    feedWatchdog({
      periodMs: 60_000,
      stuck: stuckParts({ ...well, ...parts }, 20),
      feed: async () => {
        fed += 1
      },
      clock: {
        after(delayMs, wake) {
          assert.equal(delayMs, 15_000)
          left -= 1
          if (left > 0) setImmediate(wake)
          else resolve()
          return () => {}
        },
      },
      log: { info() {}, warn() {}, error: (fields) => void reasons.push(fields.reasons) },
    })
  })
  return { fed, reasons }
}

test('while everything works, every check feeds it', async () => {
  assert.deepEqual(await fedOver(3, {}), { fed: 3, reasons: [] })
})

const stuck: readonly [string, Partial<typeof well>, string][] = [
  ['a store that hangs', { store: { checkWritable: never } }, 'the store does not answer'],
  [
    'a store that is broken',
    { store: { checkWritable: () => Promise.reject(new StoreError('the writer is gone', 'fault')) } },
    'the store: the writer is gone',
  ],
  ['a broker that hangs', { brokerAnswers: never }, 'the broker does not answer'],
  [
    'a dispatcher that does not check',
    { dispatcherStalledMs: async () => 12_000 },
    'the dispatcher: has not checked for due attempts for 12 s',
  ],
  ['a dispatcher whose store does not read', { dispatcherStalledMs: never }, 'the dispatcher does not answer'],
]
for (const [what, parts, reason] of stuck) {
  test(`${what} alone stops the watchdog feed`, async () => {
    assert.deepEqual(await fedOver(2, parts), { fed: 0, reasons: [[reason], [reason]] })
  })
}

test('problems that a restart would not fix do not stop it: a full disk, another process at the database', async () => {
  for (const kind of ['disk_full', 'disk_reserve', 'overloaded', 'busy', 'unreachable', 'unknown'] as const) {
    const store = { checkWritable: () => Promise.reject(new StoreError('no', kind)) }
    assert.equal((await fedOver(1, { store })).fed, 1)
  }
})

async function listening(t: TestContext, hangUp: boolean): Promise<{ mqtt: string }> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    if (hangUp) socket.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return { mqtt: `mqtt://127.0.0.1:${address.port}` }
}

test('the broker of the real service answers on its own listener, plain and TLS, without log lines', async (t) => {
  // Without the console: its line for the first administrator follows the start.
  const env = { TOCSIN_MQTTS_PORT: '0', TOCSIN_MQTTS_HOST: '0.0.0.0', TOCSIN_CONSOLE_ENABLED: 'off' }
  const { process: service } = await startProcessSite(t, { settings: UNHURRIED, env })
  const { mqtt, mqtts } = service.lines.find(({ msg }) => msg === 'ready')!.listeners
  for (const listener of [{ mqtt }, { mqtts }]) {
    await brokerAnswers(listener)
    const { length } = service.lines
    await brokerAnswers(listener)
    assert.deepEqual(service.lines.slice(length), [])
  }
})

test('a listener that hangs up or is gone does not answer', async (t) => {
  await assert.rejects(brokerAnswers(await listening(t, true)), /closed the connection without an answer/)
  await assert.rejects(brokerAnswers({ mqtt: 'mqtt://127.0.0.1:1' }), /ECONNREFUSED/)
})
