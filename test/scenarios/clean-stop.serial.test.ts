import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { listen } from '../harness/listener.ts'
import { newMoment } from '../harness/moment.ts'
import { type ProcessSite, startProcessSite } from '../harness/process-site.ts'
import { type Reaction, startTwilio } from '../harness/twilio-stand-in.ts'
import { until } from '../harness/wait.ts'

const MAX_MS = 10_000
const SETTINGS = { 'grace-seconds': 0.1, voice: 'off', rounds: 1 } as const
const ANA = { name: 'Ana', phone: '+436601110001' }

/** A site whose first SMS is at the provider, which reacts with `reaction`. */
async function sending(t: TestContext, reaction: Reaction, { chat }: { readonly chat?: string } = {}) {
  const twilio = await startTwilio(t)
  const site = await startProcessSite(t, {
    settings: SETTINGS,
    env: {
      ...twilio.environment,
    },
  })
  if (chat !== undefined) await site.tocsin('app', 'actuator', 'set', site.appId, 'chat', '--url', chat)
  const user = await site.user('hiker-1', [ANA])
  await user.listen()
  twilio.reacts('create', 'Messages', reaction)
  const heard = new Promise<void>((resolve) =>
    twilio.watch((at) => {
      if (at === 'heard') resolve()
    }),
  )
  await user.presses({ timestamp: newMoment() })
  await heard
  return { site, user, twilio }
}

/** Asks the service to stop, and resolves with its exit code and the time it took. */
async function stopped(site: ProcessSite): Promise<{ readonly code: number | null; readonly tookMs: number }> {
  const began = performance.now()
  const code = await site.process.stop()
  return { code, tookMs: performance.now() - began }
}

const rowsIn = (site: ProcessSite, channel: 'sms' | 'chat') =>
  site.look(async (store) => {
    const [record] = await store.incidents({ openOnly: false })
    const rows = record!.incident.deliveries.filter((row) => row.channel === channel)
    return rows.map(({ status, claim, providerRef }) => ({ status, isClaimed: claim !== null, providerRef }))
  })
const smsIn = async (site: ProcessSite) => (await rowsIn(site, 'sms'))[0]!

test('a response that arrives while the service stops is recorded, and nothing is sent again', async (t) => {
  const { site, twilio } = await sending(t, { do: 'late', ms: 2500 })
  const stopping = stopped(site)
  // Until it has stopped, the service reports that it is no longer ready.
  const answer = await until('not ready', async () => {
    const asked = await fetch(`${site.http}/readyz`)
    return asked.status === 503 && asked.json()
  })
  assert.deepEqual(answer, { status: 'not ready', reasons: ['the service is stopping'] })
  const { code, tookMs } = await stopping
  t.diagnostic(`${Math.round(tookMs)} ms`)
  assert.deepEqual([code, tookMs < MAX_MS], [0, true])
  const { sid } = twilio.messages[0]!
  assert.deepEqual(await smsIn(site), { status: 'sent', isClaimed: false, providerRef: sid })
  await site.start()
  await site.stillAlarms()
  assert.equal(twilio.creations('Messages').length, 1)
})

test('a silent provider and lingering clients do not delay the stop, and the outcome is found out afterwards', {
  timeout: 60_000,
}, async (t) => {
  const mute = await listen(t)
  mute.answers(null)
  const { site, twilio, user } = await sending(t, { do: 'accept, then hang' }, { chat: mute.url })
  await until('the chat was called', () => mute.requests.length > 0)
  const half = connect(Number(new URL(site.http).port), '127.0.0.1')
  t.after(() => half.destroy())
  half.on('error', () => {})
  half.write('POST /v1/sdk/sos HTTP/1.1\r\nHost: hut\r\nContent-Length: 1000\r\n\r\n{')
  const { code, tookMs } = await stopped(site)
  t.diagnostic(`${Math.round(tookMs)} ms`)
  assert.deepEqual([code, tookMs < MAX_MS], [0, true])
  const underWay = { status: 'scheduled', isClaimed: true, providerRef: null }
  assert.deepEqual(await smsIn(site), underWay)
  // An attempt cut off by our own stop has not failed, and uses up no try.
  assert.deepEqual(await rowsIn(site, 'chat'), [underWay])
  await user.disconnect()
  mute.answers(200)
  await site.start()
  const { sid } = twilio.messages[0]!
  await until('the SMS is found', async () => (await smsIn(site)).providerRef === sid, 30_000)
  await until('the chat is called again', () => mute.requests.length > 1, 30_000)
  assert.equal(twilio.creations('Messages').length, 1)
})
