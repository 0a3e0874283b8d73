import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import mqtt, { type IClientOptions, type MqttClient } from 'mqtt'
import { newMoment } from '../harness/moment.ts'
import { nextPacket, packetsOf, type Received } from '../harness/mqtt-wire.ts'
import { PhoneUser } from '../harness/phone-user.ts'
import { type ProcessSite, UNHURRIED } from '../harness/process-site.ts'
import { sharedProcessSite } from '../harness/shared-process-site.ts'
import { until } from '../harness/wait.ts'

const ANA = { name: 'Ana', phone: '+436600000001' }
const BEN = { name: 'Ben', phone: '+436600000002' }
const NOT_AUTHORIZED = 0x87
const PAYLOAD_FORMAT_INVALID = 0x99

/** Ana's SMS goes out after 0.2 s, nothing else for an hour. */
const ONE_SMS = { 'grace-seconds': 0.2, 'contact-interval-seconds': 3600, 'ack-timeout-seconds': 3600 } as const

const ways = [
  ['tcp', 4, 'MQTT 3.1.1 over tcp'],
  ['tcp', 5, 'MQTT 5 over tcp'],
  ['ws', 4, 'MQTT 3.1.1 over WebSocket'],
  ['ws', 5, 'MQTT 5 over WebSocket'],
] as const

suite('MQTT and REST', () => {
  const siteOf = sharedProcessSite()

  for (const [transport, protocolVersion, how] of ways) {
    const connection: IClientOptions = { protocolVersion }

    test(`${how}: pressed, processed, sent, acknowledged, resolved`, async () => {
      const site = await siteOf({ settings: ONE_SMS })
      await site.user('mia', [ANA, BEN])
      const user = await over(transport, site, 'mia')
      await user.listen(connection)
      await user.presses({ timestamp: newMoment(), latitude: 47.07, longitude: 12.69 })

      const plan = await user.receives('processed')
      assert.deepEqual([plan.status, plan.snapshotVersion, plan.actuators?.snapshotVersion], ['active', 1, 1])
      assert.deepEqual(statusesOf(plan), [
        'scheduled pending',
        'Ana sms scheduled, voice scheduled',
        'Ben sms scheduled, voice scheduled',
      ])

      const sent = await user.receives('sos.actuator_update', ({ snapshotVersion }) => snapshotVersion === 2)
      assert.deepEqual(statusesOf(sent), [
        'sent success',
        'Ana sms sent, voice scheduled',
        'Ben sms scheduled, voice scheduled',
      ])
      await user.moves({ timestamp: newMoment(), latitude: 47.08, longitude: 12.7 })
      // For the same version REST and MQTT agree. protocol.md#snapshot.
      assert.deepEqual((await user.openIncident()).actuators, sent.actuators)

      const [message] = await site.tocsin('outbox', 'list', '--incident', plan.incidentId)
      // On PostgreSQL `publicUrl` is set, and leads nowhere here.
      const [, path] = /https?:\/\/[^\s/]+(\/t\/[\w-]+)/.exec(message.text)!
      const link = `${site.http}${path}`
      assert.equal((await fetch(link)).status, 200)
      assert.equal((await user.openIncident()).status, 'active')
      assert.equal((await fetch(`${link}/ack`, { method: 'POST', redirect: 'manual' })).status, 303)
      const acknowledged = await user.receives('acknowledged')
      assert.deepEqual(
        [acknowledged.status, 'actuators' in acknowledged, 'snapshotVersion' in acknowledged],
        ['acknowledged', false, false],
      )
      assert.equal(typeof acknowledged.acknowledgedAt, 'string')
      const skipped = await user.receives('sos.actuator_update', ({ snapshotVersion }) => snapshotVersion === 3)
      assert.deepEqual(statusesOf(skipped), [
        'sent success',
        'Ana sms sent, voice skipped',
        'Ben sms skipped, voice skipped',
      ])
      assert.deepEqual(
        skipped.actuators?.items[0]?.contacts?.map((contact) => typeof contact.acknowledgedAt),
        ['string', 'undefined'],
      )

      const { status, body } = await user.ends('resolve')
      assert.deepEqual([status, body], [200, { incident: null, ended: true }])
      const resolved = await user.receives('resolved')
      assert.equal(resolved.status, 'resolved')
      assert.deepEqual(user.typesSincePress(), [
        'processed',
        'sos.actuator_update',
        'acknowledged',
        'sos.actuator_update',
        'resolved',
      ])
      assert.deepEqual([...new Set(user.events.map(({ incidentId }) => incidentId))], [plan.incidentId])
      const [item] = await user.history()
      assert.deepEqual([item.status, item.positionTrail.length], ['resolved', 2])
      assert.deepEqual(item.actuators, skipped.actuators)
    })
  }

  test('over every transport, in every version', async (t) => {
    const site = await siteOf({ settings: UNHURRIED })
    for (const [transport, protocolVersion, how] of ways) {
      const connection: IClientOptions = { protocolVersion }
      await t.test(`${how}: every QoS is accepted alike`, async () => {
        const user = await over(transport, site, `takes-${transport}-${protocolVersion}`)
        const client = await user.listen(connection)
        const packets = packetsOf(client)
        const sent: string[] = []
        for (const qos of [0, 1, 2] as const) {
          user.events.length = 0
          await client.publishAsync(`sos/alerts/${user.userId}`, JSON.stringify({ timestamp: newMoment() }), { qos })
          await user.receives('processed')
          assert.equal((await user.ends('cancel')).status, 200)
          for (let n = 0; n < 5; n++) {
            const timestamp = newMoment()
            sent.push(timestamp)
            // A retain flag is ignored: no later subscriber gets it.
            await client.publishAsync(`tel/${user.userId}/data`, JSON.stringify({ timestamp }), { qos, retain: true })
          }
        }
        assert.deepEqual(
          ['puback', 'pubrec', 'pubcomp'].map((kind) => packets.filter(({ cmd }) => cmd === kind).length),
          [6, 6, 6],
        )
        const query = { after: null, limit: 100, from: null, to: null }
        await until('all telemetry is there', async () => {
          const stored = await site.look((store) => store.telemetryHistory(user.userId, query))
          assert.ok('items' in stored)
          const times = stored.items.map(({ payload }) => payload.timestamp!)
          return times.length === sent.length && times.every((time) => sent.includes(time))
        })
      })

      await t.test(`${how}: refusals take the form of this version, and sessions are clean`, async () => {
        const user = await over(transport, site, `strict-${transport}-${protocolVersion}`)
        const events = `sos/events/${user.userId}`
        const lasting: IClientOptions = {
          ...connection,
          clean: false,
          clientId: 'lasting',
          ...(protocolVersion === 5 && { properties: { sessionExpiryInterval: 3600 } }),
        }
        let client = await user.connect(lasting)
        assert.equal(await subscribed(client, events), 1)
        await user.disconnect()
        // No later session must receive what happens now.
        await user.rest('POST', '/v1/sdk/sos', { timestamp: newMoment() })
        const again = await comesBack(user, lasting)
        client = again.client
        await user.ends('cancel')
        await roundTrip(client)
        const [connack, ...later] = again.packets
        assert.deepEqual([connack!.cmd, connack!.sessionPresent], ['connack', false])
        if (protocolVersion === 5) assert.equal(connack!.properties.sessionExpiryInterval, 0)
        assert.deepEqual(
          later.map(({ cmd }) => cmd),
          ['pingresp'],
        )

        assert.equal(await subscribed(client, '#'), protocolVersion === 5 ? NOT_AUTHORIZED : 0x80)
        assert.equal(await subscribed(client, `$share/all/${events}`), protocolVersion === 5 ? NOT_AUTHORIZED : 0x80)
        const deadLetter = await published(client, `sos/alerts/${user.userId}`, 'help!')
        if (protocolVersion === 5) {
          assert.equal(deadLetter.reasonCode, PAYLOAD_FORMAT_INVALID)
          assert.equal((await published(client, 'sos/alerts/somebody', '{}')).reasonCode, NOT_AUTHORIZED)
          const fine = await published(client, `tel/${user.userId}/data`, JSON.stringify({ timestamp: newMoment() }))
          assert.equal(fine.reasonCode ?? 0, 0)
        } else {
          assert.equal(deadLetter.reasonCode ?? 0, 0)
          assert.equal(client.connected, true)
          client.publish('sos/alerts/somebody', '{}', { qos: 1 }, () => {})
          await until('the connection is closed', () => !client.connected)
        }
      })

      await t.test(
        `${how}: a last will alarms when its sender is cut off, only on the sender’s own topic`,
        async () => {
          const [user, other] = [
            await over(transport, site, `falls-${transport}-${protocolVersion}`),
            await site.user(`ben-${transport}-${protocolVersion}`),
          ]
          for (const victim of [other.userId, user.userId]) {
            const will = { topic: `sos/alerts/${victim}`, payload: Buffer.from('{}'), qos: 1 as const, retain: true }
            const client = await user.connect({ ...connection, clientId: 'falls', will })
            client.stream.destroy()
          }
          await until('the will has fired', async () => (await user.openIncident()) !== null)
          assert.equal(await other.openIncident(), null)
          const polite = await user.connect({
            ...connection,
            clientId: 'leaves',
            will: { topic: `sos/alerts/${user.userId}`, payload: Buffer.from('{}'), qos: 1, retain: false },
          })
          await user.ends('cancel')
          await polite.endAsync()
          await site.stillAlarms()
          assert.equal((await user.history()).length, 1)
        },
      )
    }
  })
})

/** A phone that uses this transport to the broker. */
async function over(transport: 'tcp' | 'ws', site: ProcessSite, externalUserId: string): Promise<PhoneUser> {
  const { http, mqtt, appId, secret } = site
  const address = transport === 'tcp' ? mqtt : `${http.replace('http:', 'ws:')}/mqtt`
  return site.owns(new PhoneUser({ http, mqtt: address, appId, secret, externalUserId })).introduce()
}

const statusesOf = ({ actuators }: { actuators?: any }): string[] => {
  const [item] = actuators.items
  const contacts = item.contacts.map(
    ({ name, channels }: any) => `${name} ${channels.map((each: any) => `${each.channel} ${each.status}`).join(', ')}`,
  )
  return [`${item.status} ${item.outcome}`, ...contacts]
}

async function published(client: MqttClient, topic: string, payload: string): Promise<Received> {
  const puback = nextPacket(client, 'puback')
  client.publish(topic, payload, { qos: 1 }, () => {})
  return puback
}

async function subscribed(client: MqttClient, topic: string): Promise<number> {
  const suback = nextPacket(client, 'suback')
  client.subscribe(topic, { qos: 1 }, () => {})
  return (await suback).granted[0]
}

/** Connects, and keeps every packet from the CONNACK on. */
async function comesBack(user: PhoneUser, options: IClientOptions) {
  const { mqtt: url, appId, externalUserId } = user.account
  const identity = { username: `sdk:${appId}:${externalUserId}`, password: user.hash }
  const client = mqtt.connect(url, { ...identity, reconnectPeriod: 0, ...options })
  const packets = packetsOf(client)
  user.clients.push(client)
  await until('the client is connected', () => client.connected)
  return { client, packets }
}

/** Waits until everything in flight to the client has arrived. */
async function roundTrip(client: MqttClient): Promise<void> {
  const answer = nextPacket(client, 'pingresp')
  client.sendPing()
  await answer
}
