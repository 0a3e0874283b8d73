import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Http } from '../../sdk/src/send/http.ts'

const HOUR_MS = 3_600_000
const identity = { url: 'https://sos.example.org', appId: 'app', userId: 'ana', userHash: 'hash' }

/** The phone's clock minus the true time, after an answer that says it with these headers. */
async function aheadMs(phoneAhead: number, headers: Record<string, string>): Promise<number> {
  const phone = () => Date.now() + phoneAhead
  const http = new Http(identity, async () => new Response('{}', { headers }), phone)
  await http.ask('GET', '/v1/sdk/me')
  return http.now() - Date.now()
}

const date = () => new Date().toUTCString()
const isAbout = (ms: number, expected: number) => Math.abs(ms - expected) < 3_000

test('a press has the time of the service where the clock of the phone is minutes away', async () => {
  assert.ok(isAbout(await aheadMs(-HOUR_MS, { date: date(), 'x-request-id': '1' }), 0))
  assert.ok(isAbout(await aheadMs(HOUR_MS, { date: date(), 'x-request-id': '1' }), 0))
})

test('a clock that is right enough stays', async () => {
  assert.ok(isAbout(await aheadMs(60_000, { date: date(), 'x-request-id': '1' }), 60_000))
})

test('an answer of somebody else moves no clock', async () => {
  assert.ok(isAbout(await aheadMs(HOUR_MS, { date: date() }), HOUR_MS))
})
