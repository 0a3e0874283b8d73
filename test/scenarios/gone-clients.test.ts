import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { isoAt } from '../../src/core/ingest/event-time.ts'
import { type Site, startSite } from '../harness/site.ts'
import { until } from '../harness/wait.ts'

/** Sends a whole request and resets the connection, as a phone that loses the cell. */
async function breaksOff(url: string, { method = 'POST', headers = {}, body = '' }: Sent = {}): Promise<void> {
  const { hostname, port, pathname, search } = new URL(url)
  const socket = connect(Number(port), hostname).on('error', () => {})
  await once(socket, 'connect')
  const lines = Object.entries({ ...headers, host: 'hut', 'content-length': String(body.length) })
  socket.write(
    `${method} ${pathname}${search} HTTP/1.1\r\n${lines.map(([k, v]) => `${k}: ${v}\r\n`).join('')}\r\n${body}`,
  )
  socket.resetAndDestroy()
}
type Sent = {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

const signed = ({ user }: Site): Record<string, string> => ({
  'x-app-id': user.account.appId,
  'x-user-id': user.account.externalUserId,
  authorization: `Bearer ${user.hash}`,
})

test('an SOS and a contact’s answer count though the connection breaks, and the same SOS again is a repeat', async (t) => {
  const site = await startSite(t, { contacts: ['Ana', 'Ben'], settings: { voice: false } })
  // Each look at the clock is 5 ms later, so that every request has to wait for its turn.
  const clock = performance.now.bind(performance)
  let extra = 0
  t.mock.method(performance, 'now', () => {
    extra += 5
    return clock() + extra
  })
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
  await breaksOff(`${http}/v1/sdk/sos/resolve`, { headers: signed(site) })
  await until('the end', async () => (await site.user.openIncident()) === null)
})
