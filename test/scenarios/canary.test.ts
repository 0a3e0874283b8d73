import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CANARY_APP_ID } from '../../src/core/account/canary.ts'
import type { Listeners } from '../../src/service/listeners.ts'
import { PhoneUser } from '../harness/phone-user.ts'
import { type Site, startSite } from '../harness/site.ts'
import { until } from '../harness/wait.ts'

const metricsOf = async ({ service }: Site): Promise<string> =>
  (await fetch(`${service.listeners.http}/metrics`)).text()
const sampleOf = async (site: Site, name: string): Promise<number> => {
  const line = (await metricsOf(site)).split('\n').find((one) => one.startsWith(`tocsin_${name} `))
  return line === undefined ? Number.NaN : Number(line.split(' ')[1])
}
/** The press takes real time; the dispatcher and the canary's own looks are on the clock. */
const runsOf = (site: Site, result: string, count: number): Promise<boolean> =>
  until(`${count} runs that ended as ${result}`, async () => {
    await site.advance('10 ms')
    return (await sampleOf(site, `canary_runs_total{result="${result}"}`)) === count
  })
const ready = async ({ service }: Site): Promise<{ readonly status: number; readonly text: string }> => {
  const answer = await fetch(`${service.listeners.http}/readyz`)
  return { status: answer.status, text: await answer.text() }
}

test('the canary presses through the real listener to the outbox, fails aloud, recovers, and leaves nothing', async (t) => {
  const site = await startSite(t, {
    contacts: ['Ana'],
    config: {
      canary: { everyMinutes: 60 },
      // Nothing answers there: a message of the canary that went to the providers would never come.
      notifications: { providers: ['http'], allowPrivateTargets: true },
      gateway: { url: 'http://127.0.0.1:9/' },
    },
  })
  const { store, listeners } = site.service

  await site.advance('75 s')
  await runsOf(site, 'passed', 1)
  assert.equal(site.logged(/alert accepted/).length, 1)
  assert.deepEqual(site.logged(/invalid fields/), [])
  assert.equal(site.logged(/a message was written to the outbox/).length, 1)
  assert.equal(await sampleOf(site, 'canary_seconds_count'), 1)
  assert.equal(await sampleOf(site, 'canary_failures_in_a_row'), 0)
  assert.ok((await sampleOf(site, 'canary_age_seconds')) < 60)

  // Of its incident nothing is counted, and nothing stays.
  const metrics = await metricsOf(site)
  assert.doesNotMatch(metrics, /^tocsin_alerts_total\{.*\} [1-9]/m)
  assert.doesNotMatch(metrics, /^tocsin_(attempts|messages|provider_results)_total\{.*\} [1-9]/m)
  assert.equal(await sampleOf(site, 'deadline_lateness_seconds_count'), 0)
  assert.deepEqual(await store.users(CANARY_APP_ID), [])
  assert.deepEqual(await store.incidents({ openOnly: false }), [])
  await site.beside(async (beside) => {
    assert.deepEqual(
      (await beside.applications()).map(({ name }) => name),
      ['Hut'],
    )
    assert.notEqual(await beside.application(CANARY_APP_ID), null)
  })

  // Its listener is gone: twice in a row, and the service says so.
  const { mqtt = '' } = listeners
  const moved = listeners as { -readonly [K in keyof Listeners]: Listeners[K] }
  moved.mqtt = 'mqtt://127.0.0.1:9'
  await site.advance('60 min')
  await runsOf(site, 'connect', 1)
  assert.doesNotMatch((await ready(site)).text, /canary/)
  await site.advance('1 min')
  await runsOf(site, 'connect', 2)
  const red = await ready(site)
  assert.equal(red.status, 503)
  assert.match(red.text, /canary's synthetic SOS failed 2 times in a row: the MQTT listener could not be reached/)
  assert.equal(await sampleOf(site, 'canary_failures_in_a_row'), 2)
  assert.equal(site.logged(/THE CANARY FAILED/).length, 2)

  moved.mqtt = mqtt
  await site.advance('1 min')
  await runsOf(site, 'passed', 2)
  assert.doesNotMatch((await ready(site)).text, /canary/)
  assert.equal(site.logged(/gets through again/).length, 1)
})

test('nobody outside logs in as the canary, over MQTT or REST', async (t) => {
  const site = await startSite(t, { config: { canary: { everyMinutes: 60 } } })
  await site.advance('75 s')
  await runsOf(site, 'passed', 1)
  const { application, secrets } = (await site.service.store.admittingApplication(CANARY_APP_ID))!
  assert.equal(application.disabled, true)
  const { http = '', mqtt = '' } = site.service.listeners
  // Even with what the store has.
  const thief = new PhoneUser({
    http,
    mqtt,
    appId: CANARY_APP_ID,
    secret: secrets[0]!.secret,
    externalUserId: 'canary-of-mine',
  })
  assert.equal((await thief.rest('GET', '/v1/sdk/me')).status, 401)
  await assert.rejects(thief.listen({ protocolVersion: 4 }))
  await thief.disconnect()
})
