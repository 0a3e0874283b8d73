import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { isoAt } from '../../src/core/ingest/event-time.ts'
import { type Site, startSite } from '../harness/site.ts'
import { until } from '../harness/wait.ts'

/** Sends a whole request and resets the connection, as a phone that loses the cell, or closes it. */
async function breaksOff(url: string, { method = 'POST', headers = {}, body = '', ending = 'reset' }: Sent = {}) {
  const { hostname, port, pathname, search, protocol } = new URL(url)
  const raw = connect({ port: Number(port), host: hostname, noDelay: true })
  const socket = protocol === 'https:' ? connectTls({ socket: raw, rejectUnauthorized: false }) : raw
  for (const one of [raw, socket]) one.on('error', () => {})
  // With the session, the server has the end of the handshake; Node must not be asked to write within that event.
  await once(socket, protocol === 'https:' ? 'session' : 'connect')
  await new Promise(setImmediate)
  const lines = Object.entries({ ...headers, host: 'hut', 'content-length': String(body.length) })
  const head = lines.map(([k, v]) => `${k}: ${v}\r\n`).join('')
  await new Promise((resolve) => {
    socket.write(`${method} ${pathname}${search} HTTP/1.1\r\n${head}\r\n${body}`, resolve)
  })
  if (ending === 'reset') raw.resetAndDestroy()
  else socket.resume().end()
}
type Sent = {
  readonly ending?: 'reset' | 'fin'
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

const signed = ({ user }: Pick<Site, 'user'>): Record<string, string> => ({
  'x-app-id': user.account.appId,
  'x-user-id': user.account.externalUserId,
  authorization: `Bearer ${user.hash}`,
})

/** Each look at the clock is 5 ms later, so that every request has to wait for its turn. */
function waitingForTurns(t: TestContext): void {
  const clock = performance.now.bind(performance)
  let extra = 0
  t.mock.method(performance, 'now', () => {
    extra += 5
    return clock() + extra
  })
}

test('an SOS and a contact’s answer count though the connection breaks, and the same SOS again is a repeat', async (t) => {
  const site = await startSite(t, { contacts: ['Ana', 'Ben'], settings: { voice: false } })
  waitingForTurns(t)
  const { http } = site.user.account
  const body = JSON.stringify({ timestamp: isoAt(site.clock.now()), deviceId: 'watch' })
  await breaksOff(`${http}/v1/sdk/sos`, { headers: signed(site), body })
  await site.user.receives('processed')

  const again = await site.user.rest('POST', '/v1/sdk/sos', JSON.parse(body))
  assert.equal(again.status, 200)
  assert.equal((await site.service.store.incidents({ openOnly: false })).length, 1)
  await site.advance('10 s')
  await site.phone('Ana').receivesSms(/needs help/)

  await breaksOff(`${await site.phone('Ana').link()}/ack?coming=30`)
  await site.user.receives('acknowledged')
})

// rules.md#ends.
test('a press counts whose client has gone, an end without a name does not, one with a name does, however it has gone', async (t) => {
  const site = await startSite(t, { config: { https: { host: '127.0.0.1', port: 0 } } })
  waitingForTurns(t)
  const { http, https } = site.service.listeners
  const unanswered = async (): Promise<number> => {
    const text = await (await fetch(`${http}/metrics`)).text()
    const counts = text.matchAll(
      /^tocsin_rest_requests_total\{route="[^"]*sos.(?:cancel|resolve)",status="503"\} (\d+)/gm,
    )
    return [...counts].reduce((sum, [, count]) => sum + Number(count), 0)
  }
  const ways = [
    [http!, 'reset'],
    [http!, 'fin'],
    [https!, 'reset'],
    [https!, 'fin'],
  ] as const
  for (const [n, [url, ending]] of ways.entries()) {
    const user = await site.newUser(`gone-${n}`).introduce({ name: 'Mia Moser' })
    const sent = { headers: signed({ user }), ending }
    const body = JSON.stringify({ timestamp: isoAt(site.clock.now()) })
    await breaksOff(`${url}/v1/sdk/sos`, { ...sent, body })
    const opened = await until('the incident', () => user.openIncident())
    for (const end of ['cancel', 'resolve']) {
      const before = await unanswered()
      await breaksOff(`${url}/v1/sdk/sos/${end}`, sent)
      await until('the answer that nobody hears', async () => (await unanswered()) > before)
    }
    assert.equal((await user.openIncident())?.incidentId, opened.incidentId)
    assert.equal((await user.rest('POST', '/v1/sdk/sos/cancel')).status, 200)
    assert.equal(await user.openIncident(), null)

    // With a name it is for one alarm, so it counts whatever its client does.
    const alert = { timestamp: isoAt(site.clock.now() + 1) }
    const { incidentId } = (await user.rest('POST', '/v1/sdk/sos', alert)).body.incident
    const name = n % 2 === 0 ? { incidentId } : { alert }
    await breaksOff(`${url}/v1/sdk/sos/cancel`, { ...sent, body: JSON.stringify(name) })
    await until('the named end', async () => (await user.openIncident()) === null)
  }
  await site.advance('1 min')
  const ready = await fetch(`${http}/readyz`)
  assert.equal(ready.status, 200)
  assert.match(JSON.stringify(await ready.json()), /"ends_unnamed: an application /)
})
