import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { isoAt } from '../../src/core/ingest/event-time.ts'
import { type Site, startSite } from '../harness/site.ts'
import { until } from '../harness/wait.ts'

const LATE_MS = 5_100

/** A connection to each listener, and the cancel to send over it. */
async function started(t: TestContext) {
  const site = await startSite(t, { config: { https: { host: '127.0.0.1', port: 0 } } })
  const { http, https } = site.service.listeners
  const dial = async (url: string) => {
    const at = { host: '127.0.0.1', port: Number(new URL(url).port) }
    const secure = url.startsWith('https:')
    const socket: Socket = secure ? connectTls({ ...at, rejectUnauthorized: false }) : connect(at)
    t.after(() => socket.destroy())
    let answer = ''
    socket.on('data', (bytes) => {
      answer += bytes
    })
    await once(socket, secure ? 'secureConnect' : 'connect')
    return { socket, answered: () => until('an answer', () => /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]) }
  }
  return { site, connections: await Promise.all([http!, https!].map(dial)) }
}

const cancelOf = ({ user }: Site): string =>
  [
    'POST /v1/sdk/sos/cancel HTTP/1.1',
    'Host: hut',
    `X-App-ID: ${user.account.appId}`,
    `X-User-ID: ${user.account.externalUserId}`,
    `Authorization: Bearer ${user.hash}`,
    '\r\n',
  ].join('\r\n')

async function press({ user, clock }: Site): Promise<string> {
  await user.rest('POST', '/v1/sdk/sos', { timestamp: isoAt(clock.now()) })
  return (await user.openIncident())!.incidentId
}

// rules.md#ends.
test('an end without a name that began before the alarm was opened does not end it', async (t) => {
  const { site, connections } = await started(t)
  for (const { socket } of connections) socket.write(cancelOf(site).slice(0, 1))
  await new Promise((resolve) => setTimeout(resolve, 50))
  await site.advance('1 s')
  const opened = await press(site)
  for (const { socket, answered } of connections) {
    socket.write(cancelOf(site).slice(1))
    assert.equal(await answered(), '200')
    assert.equal((await site.user.openIncident())?.incidentId, opened)
  }
})

test('an end without a name that the loop stood still over for 5 s is 503, and ends nothing', async (t) => {
  const { site, connections } = await started(t)
  const opened = await press(site)
  for (const { socket } of connections) socket.write(cancelOf(site))
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LATE_MS)
  for (const { answered } of connections) assert.equal(await answered(), '503')
  assert.equal((await site.user.openIncident())?.incidentId, opened)
  assert.equal((await site.user.rest('POST', '/v1/sdk/sos/cancel')).status, 200)
  assert.equal(await site.user.openIncident(), null)
})
