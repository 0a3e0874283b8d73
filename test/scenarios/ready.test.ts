import assert from 'node:assert/strict'
import { Server } from 'node:net'
import { type TestContext, test } from 'node:test'
import { Dispatcher } from '../../src/app/dispatcher.ts'
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

test('what is wrong with the store or the dispatcher is told while it is so', async (t) => {
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

test('a listener that takes no phones any more is told', async (t) => {
  const servers = listening(t)
  const site = await startSite(t)
  const { http, mqtt } = site.service.listeners
  const server = servers.find((one) => portOf(one) === Number(new URL(mqtt!).port))
  // Who is connected stays.
  server!.close()
  assert.deepEqual(await ready(http), [503, ['the MQTT broker takes no connections']])
})

test('nobody is told that it is ready before it is', async (t) => {
  const servers = listening(t)
  const answers: unknown[] = []
  const { start } = Dispatcher.prototype
  t.mock.method(Dispatcher.prototype, 'start', async function (this: Dispatcher) {
    for (const port of servers.flatMap((server) => portOf(server) ?? [])) {
      const answer = await ready(`http://127.0.0.1:${port}`).catch(() => null)
      if (answer !== null) answers.push(answer)
    }
    return start.call(this)
  })
  const site = await startSite(t)
  assert.deepEqual(answers, [[503, ['the service is starting']]])
  assert.deepEqual(await ready(site.service.listeners.http), WELL)
})
