import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { metric } from '../harness/metric.ts'
import { adminOf } from '../harness/operator-client.ts'
import { type Site, startSite } from '../harness/site.ts'
import { until } from '../harness/wait.ts'

const reading = (site: Site, series: string) => metric(site.service, series)

async function reads(site: Site, expected: Readonly<Record<string, number | null>>): Promise<void> {
  for (const [series, value] of Object.entries(expected)) assert.equal(await reading(site, series), value, series)
}

test('the metrics show an alarm from the press to the acknowledgement', async (t) => {
  const site = await startSite(t, { contacts: ['Ana'], webhook: true })
  const { user } = site
  await reads(site, {
    tocsin_ready: 1,
    'tocsin_open_incidents{status="active"}': 0,
    tocsin_overdue_seconds: 0,
    // Without TLS.
    'tocsin_certificate_expiry_timestamp_seconds{certificate="server"}': null,
    'tocsin_certificate_expiry_timestamp_seconds{certificate="ca"}': null,
  })
  site.webhook.answers(503)
  await user.presses({ timestamp: new Date(site.clock.now()).toISOString(), mobileBattery: 900 })
  await user.rest('POST', '/v1/sdk/sos', { timestamp: 'yesterday' })
  await user.moves({ timestamp: new Date(site.clock.now()).toISOString(), mobileBattery: 40 })
  await user.moves({ mobileBattery: 900 })
  await user.publishes(`sos/alerts/${user.userId}`, 'help')
  await user.rest('POST', '/v1/sdk/telemetry', { mobileBattery: 900 })
  const other = await site.newUser('hiker-2').introduce()
  const will = { topic: `sos/alerts/${other.userId}`, payload: Buffer.from('{}'), qos: 1 as const, retain: false }
  const falls = await user.connect({ clientId: 'falls', will })
  falls.stream.destroy()
  await assert.rejects(site.newUser('hiker-1').connect({ password: 'wrong', clientId: 'other' }))
  await user.clients[0]!.subscribeAsync('sos/events/another').catch(() => {})
  const dueAt = new Date(site.clock.now() + 3_600_000).toISOString()
  assert.equal((await user.rest('POST', '/v1/sdk/timers', { dueAt })).status, 201)
  await site.advance('10 s')
  await reads(site, {
    'tocsin_mqtt_connects_total{result="accepted"}': 2,
    'tocsin_mqtt_refusals_total{operation="will"}': 1,
    'tocsin_telemetry_total{result="refused",transport="rest"}': 1,
    'tocsin_mqtt_connects_total{result="refused"}': 1,
    'tocsin_mqtt_refusals_total{operation="subscribe"}': 1,
    'tocsin_timers_total{did="set"}': 1,
    'tocsin_alert_warnings_total{transport="mqtt"}': 1,
    'tocsin_alerts_total{verdict="opened",transport="mqtt"}': 1,
    'tocsin_alerts_total{verdict="refused",transport="rest"}': 1,
    'tocsin_telemetry_total{result="stored",transport="mqtt"}': 1,
    'tocsin_dead_letters_total{kind="telemetry",reason="bad_fields"}': 1,
    'tocsin_dead_letters_total{kind="alert",reason="no_json_object"}': 1,
    tocsin_dead_letters_kept: 2,
    'tocsin_open_incidents{status="active"}': 1,
    'tocsin_provider_results_total{provider="outbox",channel="sms",outcome="sent",error="none"}': 1,
    'tocsin_provider_results_total{provider="webhook",channel="webhook",outcome="failed",error="http_5xx"}': 1,
    'tocsin_attempts_total{channel="sms",outcome="sent"}': 1,
    'tocsin_messages_total{channel="sms",country="AT"}': 1,
    'tocsin_deadline_lateness_seconds_bucket{le="0.01"}': 2,
  })
  await site.phone('Ana').pressesTheButton()
  await reads(site, {
    'tocsin_open_incidents{status="active"}': 0,
    'tocsin_open_incidents{status="acknowledged"}': 1,
  })
  const { incidentId } = await user.openIncident()
  const ask = await adminOf(site)
  assert.equal((await ask('POST', `/incidents/${incidentId}/resolve`, { outcome: 'found_safe' })).status, 200)
  await reads(site, {
    'tocsin_incidents_resolved_total{outcome="found_safe"}': 1,
    'tocsin_incidents_resolved_total{outcome="none"}': 0,
    'tocsin_open_incidents{status="acknowledged"}': 0,
  })
})

test('connections are counted by transport, and certificates show their expiry', async (t) => {
  const any = { host: '127.0.0.1', port: 0 }
  // MQTT.js checks the certificates by the real clock.
  const site = await startSite(t, { now: Date.now(), config: { mqtts: any, https: any } })
  const { listeners } = site.service
  const ca = await readFile(join(site.dataDir, 'tls', 'ca.crt'))
  const urls = {
    tls: listeners.mqtts,
    ws: `${listeners.http?.replace('http:', 'ws:')}/mqtt`,
    wss: `${listeners.https?.replace('https:', 'wss:')}/mqtt`,
  }
  const connect = (t: TestContext, way: keyof typeof urls, clientId: string) =>
    site.user.connect({ ...optionsOf(urls[way]!), clientId, ca }).then((client) => {
      t.after(() => client.endAsync(true))
      return client
    })
  await connect(t, 'tls', 'one')
  await connect(t, 'ws', 'two')
  const [gone] = await Promise.all([connect(t, 'wss', 'three'), connect(t, 'wss', 'four')])
  const series = (way: string) => `tocsin_mqtt_connections{listener="${way}"}`
  await reads(site, { [series('tcp')]: 1, [series('tls')]: 1, [series('ws')]: 1, [series('wss')]: 2 })
  await gone.endAsync()
  await until('one less', async () => (await reading(site, series('wss'))) === 1)

  const daysLeft = async (which: string) => {
    const end = await reading(site, `tocsin_certificate_expiry_timestamp_seconds{certificate="${which}"}`)
    return ((end ?? 0) - site.clock.now() / 1000) / 86_400
  }
  const [server, authority] = [await daysLeft('server'), await daysLeft('ca')]
  assert.ok(Math.abs(server - 396) < 2, `${server} days`)
  assert.ok(Math.abs(authority - 20 * 365) < 2, `${authority} days`)
})

/** MQTT.js options for a URL other than that of the user's account. */
function optionsOf(url: string) {
  const { protocol, hostname, port, pathname } = new URL(url)
  return {
    protocol: protocol.slice(0, -1) as 'mqtts' | 'ws' | 'wss',
    hostname,
    host: hostname,
    port: Number(port),
    path: pathname,
  }
}
