import assert from 'node:assert/strict'
import { Server } from 'node:net'
import { type TestContext, test } from 'node:test'
import type { Store } from '../../src/ports/store.ts'
import { type Site, startSite } from '../harness/site.ts'

async function ready(http: string | undefined): Promise<readonly [status: number, reasons: readonly string[]]> {
  const answer = await fetch(`${http}/readyz`)
  const { reasons } = (await answer.json()) as { reasons: readonly string[] }
  return [answer.status, reasons]
}

const WELL = [200, []] as const
const never = () => new Promise<never>(() => {})

/** Every listening socket that is opened from now on. */
function listening(t: TestContext): readonly Server[] {
  const servers: Server[] = []
  const { listen } = Server.prototype
  t.mock.method(Server.prototype, 'listen', function (this: Server, ...args: Parameters<Server['listen']>) {
    servers.push(this)
    return listen.apply(this, args)
  })
  return servers
}

const portOf = (server: Server): number | null => {
  const address = server.address()
  return address !== null && typeof address === 'object' ? address.port : null
}

test('a problem with the store or the dispatcher is reported for as long as it lasts', async (t) => {
  const site = await startSite(t)
  const { http } = site.service.listeners
  for (const [broken, reason] of [
    [{ nextActionAt: async () => site.clock.now() - 12_000 }, 'the dispatcher is 12 s late'],
    [{ checkWritable: never }, 'the store does not answer'],
    [{ nextActionAt: never }, 'the store does not answer'],
    [{ nextActionAt: () => Promise.reject(new Error('EIO')) }, 'the store cannot be read'],
  ] as const) {
    assert.deepEqual(await ready(http), WELL)
    await withBroken(site, broken, async () => assert.deepEqual(await ready(http), [503, [reason]]))
  }
  assert.deepEqual(await ready(http), WELL)
})

async function withBroken(site: Site, broken: Partial<Store>, work: () => Promise<void>): Promise<void> {
  const store = site.service.store as { -readonly [K in keyof Store]: Store[K] }
  const whole = { ...store }
  Object.assign(store, broken)
  try {
    await work()
  } finally {
    Object.assign(store, whole)
  }
}

test('a listener that accepts no more phones is reported', async (t) => {
  const servers = listening(t)
  const site = await startSite(t)
  const { http, mqtt } = site.service.listeners
  // As long as one of the listener's sockets is open, the system passes it every new connection.
  const sockets = servers.filter((one) => portOf(one) === Number(new URL(mqtt!).port))
  assert.notEqual(sockets.length, 0)
  // Existing connections stay open.
  for (const socket of sockets) socket.close()
  assert.deepEqual(await ready(http), [503, ['the MQTT broker does not accept connections']])
})

test('nobody sees it as ready before it is', async (t) => {
  const answers: unknown[] = []
  const servers: Server[] = []
  const { listen } = Server.prototype
  // Asks each listener while the next one opens. HTTPS is the last one.
  t.mock.method(Server.prototype, 'listen', function (this: Server, ...args: Parameters<Server['listen']>) {
    const earlier = servers.flatMap((server) => portOf(server) ?? [])
    servers.push(this)
    const asked = earlier.map((port) => ready(`http://127.0.0.1:${port}`).catch(() => null))
    void Promise.all(asked).then((said) => {
      answers.push(...said.filter((answer) => answer !== null))
      listen.apply(this, args)
    })
    return this
  })
  const site = await startSite(t, { config: { https: { host: '127.0.0.1', port: 0 } } })
  // Later sockets are the test's own.
  assert.deepEqual(answers[0], [503, ['the service is starting']])
  assert.deepEqual(await ready(site.service.listeners.http), WELL)
})
