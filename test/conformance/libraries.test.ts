import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import { newMoment } from '../harness/moment.ts'
import type { PhoneUser } from '../harness/phone-user.ts'
import { shared } from '../harness/shared.ts'
import { until } from '../harness/wait.ts'
import type { Client, ConnectOrder, Way } from './client.ts'
import { startEdgeSite } from './edge-site.ts'
import { mqttJs } from './mqttjs.ts'
import { paho } from './paho.ts'

const VERSIONS = [4, 5] as const
const SUCCESS = 0
const WITH_WILL = 0x04
const NO_SUBSCRIPTION_EXISTED = 0x11
const NOT_AUTHORIZED = 0x87
const SERVER_SHUTTING_DOWN = 0x8b
const SESSION_TAKEN_OVER = 0x8e
const PACKET_TOO_LARGE = 0x95
const ADMINISTRATIVE_ACTION = 0x98
const PAYLOAD_FORMAT_INVALID = 0x99
const SUBACK_FAILURE = 0x80

/** For more than sixty steps, each of which has its own limits. */
const WHOLE_STORY = { timeout: 600_000 }

suite('other people’s clients', () => {
  const edge = shared(startEdgeSite)

  for (const library of [mqttJs, paho]) {
    test(`${library.name} gets what MQTT promises, over every transport, in both versions`, WHOLE_STORY, async (t) => {
      const { ways } = edge()
      const site = await edge().site.application()
      const make = library.start(t)
      const other = await site.user('other')
      for (const way of ways) {
        for (const version of VERSIONS) {
          const named = `${version === 5 ? 'MQTT 5' : 'MQTT 3.1.1'} over ${way.transport}`
          const user = await site.user(`${way.transport}-${version}`)
          const five = version === 5
          const alerts = `sos/alerts/${user.userId}`
          const telemetry = `tel/${user.userId}/data`
          const events = `sos/events/${user.userId}`
          const alert = () => JSON.stringify({ timestamp: newMoment() })
          const typesOf = ({ messages }: Client) => messages.map(({ payload }) => JSON.parse(payload).type)
          const start = (u: TestContext) => newcomer(u, make, user, way, version)

          await t.test(`${named}: publish, subscribe, events, unsubscribe`, async (u) => {
            const { client, connect } = start(u)
            assert.equal((await connect()).code, SUCCESS)
            assert.deepEqual(await client.subscribe(events), [1])
            // Ignores updates: if there was an earlier incident, the subscription brought its state.
            const told = () => typesOf(client).filter((type) => type !== 'sos.actuator_update')
            for (const qos of [0, 1, 2] as const) {
              const before = told().length
              assert.equal(await client.publish(alerts, alert(), qos, true), SUCCESS)
              await until('processed', () => told()[before] === 'processed')
              assert.equal(await client.publish(telemetry, alert(), qos), SUCCESS)
              assert.equal((await user.ends('cancel')).status, 200)
              await until('cancelled', () => told()[before + 1] === 'cancelled')
            }
            assert.ok(client.messages.every(({ topic, qos, retain }) => topic === events && qos === 1 && !retain))
            const heard = told().length
            assert.deepEqual(await client.unsubscribe(events), five ? [SUCCESS] : [])
            assert.deepEqual(
              await client.unsubscribe(events, 'never/was'),
              five ? [NO_SUBSCRIPTION_EXISTED, NO_SUBSCRIPTION_EXISTED] : [],
            )
            await client.publish(alerts, alert(), 1)
            await user.ends('cancel')
            await client.publish(telemetry, alert(), 1)
            const { length } = client.messages
            assert.equal(told().length, heard)
            // A retained message would arrive now.
            assert.deepEqual(await client.subscribe(events), [1])
            await client.publish(telemetry, alert(), 1)
            assert.equal(told().length, heard)
            // The state arrives, but not retained.
            await until('the state', () => client.messages.length > length)
            assert.deepEqual(
              client.messages.slice(length).map(({ qos, retain }) => [qos, retain]),
              [[1, false]],
            )
          })

          await t.test(`${named}: the CONNACK has the limits in force`, async (u) => {
            const lasting = { clean: false, clientId: 'lasting', asks: { sessionExpiryInterval: 3600 } }
            const first = start(u)
            assert.equal((await first.connect(lasting)).code, SUCCESS)
            await first.client.subscribe(events)
            first.client.drop()
            await until('the connection ended', () => first.client.ended)
            const again = start(u)
            const { code, sessionPresent, properties } = await again.connect(lasting)
            assert.deepEqual([code, sessionPresent], [SUCCESS, false])
            if (!five) return
            assert.deepEqual(properties, {
              sessionExpiryInterval: 0,
              receiveMaximum: 1024,
              maximumPacketSize: 65_536,
              wildcardSubscriptionAvailable: 0,
              sharedSubscriptionAvailable: 0,
              subscriptionIdentifiersAvailable: 1,
            })
          })

          await t.test(`${named}: an id is assigned to a client without one`, async (u) => {
            const [one, another] = [start(u), start(u)]
            const ids = [
              (await one.connect({ clientId: '' })).properties.assignedClientIdentifier,
              (await another.connect({ clientId: '' })).properties.assignedClientIdentifier,
            ]
            if (five) for (const id of ids) assert.match(String(id), /^tocsin-/)
            if (five) assert.notEqual(ids[0], ids[1])
            assert.equal(await one.client.publish(telemetry, alert(), 1), SUCCESS)
            assert.equal(await another.client.publish(telemetry, alert(), 1), SUCCESS)
          })

          await t.test(`${named}: a wrong hash is refused in the CONNACK`, async (u) => {
            const { client, connect } = start(u)
            assert.equal((await connect({ password: 'wrong' })).code, five ? NOT_AUTHORIZED : 5)
            await until('the connection ended', () => client.ended)
          })

          await t.test(`${named}: subscriptions to anything else are refused in the SUBACK`, async (u) => {
            const { client, connect } = start(u)
            await connect()
            const refused = five ? NOT_AUTHORIZED : SUBACK_FAILURE
            const foreign = [
              '#',
              `$share/all/${events}`,
              'sos/events/+',
              `sos/events/${other.userId}`,
              '__proto__',
              'a/'.repeat(150),
            ]
            assert.deepEqual(await client.subscribe(...foreign, events), [...foreign.map(() => refused), 1])
            assert.equal(await client.publish(telemetry, alert(), 1), SUCCESS)
          })

          await t.test(`${named}: refused publishes take the form of this version`, async (u) => {
            const { client, connect } = start(u)
            await connect()
            for (const qos of [1, 2] as const) {
              assert.equal(await client.publish(telemetry, 'no JSON', qos), five ? PAYLOAD_FORMAT_INVALID : SUCCESS)
            }
            const foreign = client.publish(`sos/alerts/${other.userId}`, alert(), 1)
            if (five) {
              assert.equal(await foreign, NOT_AUTHORIZED)
              assert.equal(await client.publish(telemetry, alert(), 1), SUCCESS)
            } else {
              await assert.rejects(foreign)
              await until('the connection ended', () => client.ended)
            }
            assert.equal(await other.openIncident(), null)
          })

          await t.test(`${named}: a packet above the maximum ends the connection`, async (u) => {
            const { client, connect } = start(u)
            await connect()
            const large = client.publish(
              telemetry,
              JSON.stringify({ timestamp: newMoment(), x: 'x'.repeat(65_536) }),
              1,
            )
            large.catch(() => {})
            const ended = await until('the connection ended', () => client.ended)
            assert.equal(ended.code, five ? PACKET_TOO_LARGE : null)
          })

          await t.test(`${named}: the same client id takes over, and the former one is told why`, async (u) => {
            const [former, latter] = [start(u), start(u)]
            await former.connect({ clientId: 'same' })
            const pending = newcomer(u, make, other, way, version)
            await pending.connect({ clientId: 'same' })
            assert.equal((await latter.connect({ clientId: 'same' })).code, SUCCESS)
            const ended = await until('the former connection ended', () => former.client.ended)
            assert.equal(ended.code, five ? SESSION_TAKEN_OVER : null)
            assert.equal(await latter.client.publish(telemetry, alert(), 1), SUCCESS)
            assert.equal(pending.client.ended, null)
          })

          await t.test(`${named}: a will alarms on the own topic, after a cut but not a DISCONNECT`, async (u) => {
            for (const [topic, leave, alarms] of [
              [`sos/alerts/${other.userId}`, 'drop', false],
              [alerts, 'disconnect', false],
              [alerts, 'drop', true],
              ...(five ? ([[alerts, 'with will', true]] as const) : []),
            ] as const) {
              const { client, connect } = start(u)
              await connect({ clientId: 'falls', will: { topic, payload: alert(), retain: true } })
              if (leave === 'drop') client.drop()
              else client.disconnect(leave === 'with will' ? WITH_WILL : undefined)
              await until('the connection ended', () => client.ended)
              // The next connection with this id is admitted after this one and its will have gone.
              const next = start(u)
              await next.connect({ clientId: 'falls' })
              await next.client.publish(telemetry, alert(), 1)
              if (alarms) await until('the will has fired', () => user.openIncident())
              else assert.equal(await user.openIncident(), null)
              assert.equal(await other.openIncident(), null)
              await user.ends('cancel')
            }
          })

          if (!five) continue

          await t.test(`${named}: deliveries respect what the client asked for`, async (u) => {
            const [narrow, small] = [start(u), start(u)]
            await narrow.connect({ clientId: 'narrow', asks: { receiveMaximum: 1 } })
            await small.connect({ clientId: 'small', asks: { maximumPacketSize: 100 } })
            for (const { client } of [narrow, small]) assert.deepEqual(await client.subscribe(events), [1])
            for (let n = 0; n < 3; n++) {
              await narrow.client.publish(alerts, alert(), 1)
              await user.ends('cancel')
            }
            await until('all events', () => narrow.client.messages.length >= 6)
            assert.equal(await small.client.publish(telemetry, alert(), 1), SUCCESS)
            assert.deepEqual([small.client.messages, small.client.ended], [[], null])
          })
        }
      }
    })
  }

  // Last, because it stops the service.
  test('a disabled user is told why, and so is everyone when the service stops', async (t) => {
    const left: (readonly [string, Client])[] = []
    for (const library of [mqttJs, paho]) {
      const site = await edge().site.application()
      const make = library.start(t)
      const [disabled, other] = [await site.user('disabled'), await site.user('other')]
      const [theirs, ours] = [
        newcomer(t, make, disabled, edge().ways[1]!, 5),
        newcomer(t, make, other, edge().ways[3]!, 5),
      ]
      await theirs.connect()
      await ours.connect()
      await site.tocsin('user', 'disable', site.appId, 'disabled')
      const out = await until(`${library.name}: the user is out`, () => theirs.client.ended)
      assert.equal(out.code, ADMINISTRATIVE_ACTION, library.name)
      assert.equal(ours.client.ended, null, library.name)
      left.push([library.name, ours.client])
    }
    assert.equal(await edge().site.stop(), 0)
    for (const [name, client] of left) {
      const out = await until(`${name}: all are out`, () => client.ended)
      assert.equal(out.code, SERVER_SHUTTING_DOWN, name)
    }
  })
})

/** A client that connects as this user over `way`, unless told otherwise. Closed with the test. */
function newcomer(t: TestContext, make: () => Client, user: PhoneUser, way: Way, version: 4 | 5) {
  const client = make()
  t.after(() => client.close())
  const { appId, externalUserId } = user.account
  return {
    client,
    connect: (more: Partial<ConnectOrder> = {}) =>
      client.connect({
        way,
        version,
        clientId: `svc_${appId}_${externalUserId}`,
        username: `sdk:${appId}:${externalUserId}`,
        password: user.hash,
        clean: true,
        keepalive: 30,
        ...more,
      }),
  }
}
