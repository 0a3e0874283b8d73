import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import mqtt, { type IClientOptions, type MqttClient } from 'mqtt'
import { endsLastFirst } from '../harness/last-first.ts'
import { newMoment } from '../harness/moment.ts'
import { bytesOf, connectOf, nextPacket, packetsOf, type Received, WireClient } from '../harness/mqtt-wire.ts'
import { startProcessSite, UNHURRIED } from '../harness/process-site.ts'
import { shared } from '../harness/shared.ts'
import { until } from '../harness/wait.ts'

const VERSIONS = [4, 5] as const

/** MQTT 5 reason codes; 3.1.1 has one code for each refusal. */
const NOT_AUTHORIZED = 0x87
const PACKET_TOO_LARGE = 0x95
const PAYLOAD_FORMAT_INVALID = 0x99
const CONNACK_NOT_AUTHORIZED = 5
const SUBACK_FAILURE = 0x80

/** The deepest nesting that the packet limit of 64 KiB allows. */
const DEEPEST = 32_000
const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)

/** Payloads that are not JSON objects: kept and acknowledged, but unusable. */
const unusable: readonly (readonly [string, string | Buffer])[] = [
  ['nothing', ''],
  ['half an object', '{"timestamp":'],
  ['an array', '[]'],
  ['null', 'null'],
  ['a text', '"help"'],
  ['a number too large for one', '1e999'],
  ['deep nesting', nested(DEEPEST)],
  ['bytes of any kind', Buffer.from([0, 0xff, 0xfe, 0x7b, 0x7d])],
]

/** Alerts with bad fields: each one alarms and names what was bad. */
const badAlerts: readonly (readonly [string, string, readonly string[]])[] = [
  ['no time', '{}', ['timestamp']],
  ['a time without zone', '{"timestamp":"2026-05-01T14:06:40"}', ['timestamp']],
  ['a latitude without longitude', '{"timestamp":"NOW","latitude":47}', ['latitude', 'longitude']],
  ['a battery of 101', '{"timestamp":"NOW","mobileBattery":101}', ['mobileBattery']],
  ['a number too large for one', '{"timestamp":"NOW","altitude":1e999}', ['altitude']],
  ['a lone surrogate', '{"timestamp":"NOW","deviceId":"\\ud800"}', ['deviceId']],
  ['a malicious key', '{"timestamp":"NOW","__proto__":{"admin":true}}', ['__proto__']],
  ['deep nesting', `{"timestamp":"NOW","mobileCoverage":${nested(DEEPEST - 100)}}`, ['mobileCoverage']],
  ['a bad time next to a good one', '{"timestamp":1,"occurredAt":"NOW"}', ['timestamp']],
  [
    'every field bad',
    JSON.stringify({
      timestamp: 'yesterday',
      occurredAt: 7,
      latitude: 'north',
      longitude: [],
      altitude: {},
      deviceId: '',
      deviceBattery: 'full',
      deviceCoverage: 4,
      mobileBattery: 101,
      mobileCoverage: [],
    }),
    [
      'altitude',
      'deviceBattery',
      'deviceCoverage',
      'deviceId',
      'latitude',
      'longitude',
      'mobileBattery',
      'mobileCoverage',
      'occurredAt',
      'timestamp',
    ],
  ],
]

suite('hostile clients', () => {
  const service = shared((t) => startProcessSite(t, { settings: UNHURRIED }))

  for (const version of VERSIONS) {
    test(`MQTT ${version === 4 ? '3.1.1' : '5'}: whatever is published, nothing is lost and the next SOS is heard`, async (t) => {
      const site = await service().application({ settings: UNHURRIED })
      // One store for all look-ups, because opening it takes longer than they do.
      const store = await site.openBeside()
      endsLastFirst(t, () => store.close())
      const user = await site.user('mia')
      const other = await site.user('ben')
      const alerts = `sos/alerts/${user.userId}`
      const telemetry = `tel/${user.userId}/data`
      const options: IClientOptions = { protocolVersion: version }

      for (const [what, payload] of unusable) {
        for (const topic of [alerts, telemetry]) {
          await t.test(`${topic.split('/', 1)}: ${what}`, async () => {
            const client = await user.connect(options)
            const before = await store.deadLetters()
            const puback = await published(client, topic, payload)
            if (version === 5) assert.equal(puback.reasonCode, PAYLOAD_FORMAT_INVALID)
            const after = await store.deadLetters()
            assert.equal(after.length, before.length + 1)
            const letter = after.at(-1)!
            assert.deepEqual([letter.userId, letter.topic], [user.userId, topic])
            assert.deepEqual(Buffer.from(letter.payload), Buffer.from(payload))
            assert.ok(letter.reason.length > 0)
            assert.equal(client.connected, true)
            await user.disconnect()
            await site.stillAlarms()
          })
        }
      }

      for (const [what, text, fields] of badAlerts) {
        const payload = text.replace('NOW', newMoment())
        await t.test(`an alert with ${what} alarms`, async () => {
          const client = await user.listen(options)
          const puback = await published(client, alerts, payload)
          if (version === 5) assert.equal(puback.reasonCode ?? 0, 0)
          const { incidentId } = await user.receives('processed')
          const [item] = await user.history()
          assert.equal(item.incidentId, incidentId)
          assert.equal(item.status, 'active')
          const warned = item.creationTelemetry.warnings.map((warning: any) => warning.field)
          assert.deepEqual([...new Set(warned)].sort(), fields)
          assert.equal((await user.ends('cancel')).status, 200)
          user.events.length = 0
          await user.disconnect()
          await site.stillAlarms()
        })

        await t.test(`telemetry with ${what} becomes a dead letter`, async () => {
          const client = await user.connect(options)
          const puback = await published(client, telemetry, payload)
          if (version === 5) assert.equal(puback.reasonCode, PAYLOAD_FORMAT_INVALID)
          const letter = (await store.deadLetters()).at(-1)!
          assert.equal(Buffer.from(letter.payload).toString(), payload)
          for (const field of fields) assert.match(letter.reason, new RegExp(`\\b${field}\\b`))
          await user.disconnect()
          await site.stillAlarms()
        })
      }

      await t.test('the operator reads every dead letter on the command line', async () => {
        const letters = (await site.tocsin('dead-letter', 'list')).filter(({ userId }: any) => userId === user.userId)
        assert.equal(letters.length, 2 * unusable.length + badAlerts.length)
        const [nothing, , half] = letters
        assert.deepEqual(Object.keys(nothing), ['id', 'userId', 'topic', 'reason', 'payload', 'receivedAt'])
        assert.equal(nothing.payload, '')
        assert.equal(Buffer.from(half.payload, 'base64').toString(), '{"timestamp":')
        assert.ok(Math.abs(Date.parse(half.receivedAt) - Date.now()) < 600_000)
      })

      const foreign = [
        'unknown',
        'sos/alerts',
        `sos/alerts/${other.userId}`,
        `sos/alerts/${user.userId}/`,
        `sos/alerts/${user.userId.toUpperCase()}`,
        `sos/alerts/${user.account.externalUserId}`,
        `tel/${other.userId}/data`,
        `sos/events/${user.userId}`,
        '$SYS/broker',
        'constructor',
        '__proto__',
        'a/'.repeat(200),
      ]
      for (const topic of foreign) {
        await t.test(`publishing to ${topic.slice(0, 30)} is refused`, async () => {
          const client = await user.connect(options)
          const packets = packetsOf(client)
          client.publish(topic, `{"timestamp":"${newMoment()}"}`, { qos: 1 }, () => {})
          if (version === 5) {
            const puback = await until('a PUBACK', () => packets.find(({ cmd }) => cmd === 'puback'))
            assert.equal(puback.reasonCode, NOT_AUTHORIZED)
            assert.equal(client.connected, true)
          } else {
            await until('the connection is closed', () => !client.connected)
            assert.deepEqual(packets, [])
          }
          await user.disconnect()
          await site.stillAlarms()
        })
      }

      await t.test('only one’s own events are granted, even in a SUBSCRIBE with other topics', async () => {
        const own = `sos/events/${user.userId}`
        const others = [
          '#',
          '+/+/+',
          'sos/events/+',
          `sos/events/${other.userId}`,
          `sos/events/${user.account.externalUserId}`,
          `sos/alerts/${user.userId}`,
          `$share/group/${own}`,
          '$SYS/#',
          '__proto__',
          'constructor',
        ]
        const client = await user.connect(options)
        const packets = packetsOf(client)
        client.subscribe([...others, own], { qos: 1 }, () => {})
        const suback = await until('a SUBACK', () => packets.find(({ cmd }) => cmd === 'suback'))
        const refused = version === 5 ? NOT_AUTHORIZED : SUBACK_FAILURE
        assert.deepEqual([...suback.granted], [...others.map(() => refused), 1])
        await other.connect(options)
        await other.presses()
        assert.equal((await other.ends('cancel')).status, 200)
        client.publish(`sos/alerts/${user.userId}`, `{"timestamp":"${newMoment()}"}`, { qos: 1 })
        // An earlier subtest's incident may send its end first.
        const opened = ({ cmd, payload }: (typeof packets)[number]) =>
          cmd === 'publish' && String(payload).includes('"processed"')
        await until('the own event', () => packets.some(opened))
        const heard = packets.filter(({ cmd }) => cmd === 'publish')
        assert.ok(heard.every(({ topic }) => topic === own))
        assert.equal((await user.ends('cancel')).status, 200)
        await Promise.all([user.disconnect(), other.disconnect()])
        await site.stillAlarms()
      })

      await t.test('a wrong hash of any length is refused, and so is an unknown name', async () => {
        const known = user.account
        const name = `sdk:${known.appId}:${known.externalUserId}`
        const flipped = (user.hash.startsWith('0') ? '1' : '0') + user.hash.slice(1)
        const wrong: readonly (readonly [string, string])[] = [
          [name, ''],
          [name, 'a'],
          [name, user.hash.slice(1)],
          [name, flipped],
          [name, `${user.hash}0`],
          [name, '0'.repeat(2048)],
          [`sdk:${known.appId}:somebody`, user.hash],
          ['sdk:00000000-0000-0000-0000-000000000000:mia', user.hash],
          [`sdk:${known.appId}`, user.hash],
          ['sdk::', user.hash],
          ['__proto__', user.hash],
          ['', ''],
        ]
        for (const [username, password] of wrong) {
          const refusal = await refusedConnect(known.mqtt, { protocolVersion: version, username, password })
          assert.equal(refusal, version === 5 ? NOT_AUTHORIZED : CONNACK_NOT_AUTHORIZED, username)
        }
        await site.stillAlarms()
      })

      await t.test('a packet above the limit ends the connection and stores nothing', async () => {
        const before = await store.deadLetters()
        const client = await WireClient.open(site.mqtt, version)
        client.sends(connectOf(user, version))
        await client.receives('connack')
        const payload = Buffer.alloc(10 * 1024 * 1024, 0x20)
        client.sends(bytesOf({ cmd: 'publish', topic: alerts, payload, qos: 1, messageId: 1 }, version))
        await client.isCutOff()
        const farewell = client.packets.filter(({ cmd }) => cmd !== 'connack')
        if (version === 4) assert.deepEqual(farewell, [])
        assert.deepEqual(await store.deadLetters(), before)
        assert.deepEqual(await user.openIncident(), null)
        await site.stillAlarms()
      })

      // Only the length: none of the 10 MB is in flight when the broker hangs up, so that its DISCONNECT is not lost.
      await t.test('the length of such a packet is enough', async () => {
        const client = await WireClient.open(site.mqtt, version)
        client.sends(connectOf(user, version))
        await client.receives('connack')
        client.sends(Buffer.from([0x32, 0x80, 0x80, 0x80, 0x05]))
        await client.isCutOff()
        const farewell = client.packets.filter(({ cmd }) => cmd !== 'connack')
        assert.deepEqual(
          farewell.map(({ cmd, reasonCode }) => [cmd, reasonCode]),
          version === 5 ? [['disconnect', PACKET_TOO_LARGE]] : [],
        )
        await site.stillAlarms()
      })

      const garbage: readonly (readonly [string, boolean, Buffer])[] = [
        ['HTTP', false, Buffer.from('GET / HTTP/1.1\r\n\r\n')],
        ['a CONNECT of 1 MB', false, Buffer.concat([Buffer.from([0x10, 0x80, 0x80, 0x40]), Buffer.alloc(1 << 20)])],
        ['an endless length', false, Buffer.from([0x10, 0xff, 0xff, 0xff, 0xff, 0xff])],
        ['a second CONNECT', true, connectOf(user, version)],
        ['a packet of type 0', true, Buffer.from([0x00, 0x00])],
        ['a PUBLISH of QoS 3', true, Buffer.from([0x36, 0x05, 0x00, 0x01, 0x61, 0x00, 0x01])],
        ['a wildcard in a PUBLISH', true, wildcardPublish(version)],
        [
          'two PUBRELs in one segment',
          true,
          Buffer.concat([1, 1].map((messageId) => bytesOf({ cmd: 'pubrel', messageId }, version))),
        ],
      ]
      for (const [what, admitted, bytes] of garbage) {
        await t.test(`raw bytes: ${what}`, async () => {
          const client = await WireClient.open(site.mqtt, version)
          if (admitted) {
            client.sends(connectOf(user, version))
            await client.receives('connack')
          }
          client.sends(bytes)
          // Some are answered and some end the connection; what matters is that the service is well.
          await site.stillAlarms()
          client.close()
        })
      }
    })
  }

  // Last, because it stops the service.
  test('and the service stops cleanly afterwards', async () => {
    await service().stillAlarms()
    assert.equal(await service().stop(), 0)
  })
})

/** A PUBLISH to `#`, which no client library would build. */
function wildcardPublish(version: number): Buffer {
  const bytes = bytesOf({ cmd: 'publish', topic: 'X', payload: '{}', qos: 1, messageId: 1 }, version)
  bytes[bytes.indexOf('X')] = '#'.charCodeAt(0)
  return bytes
}

/** Publishes with QoS 1 and resolves with the PUBACK. */
async function published(client: MqttClient, topic: string, payload: string | Buffer): Promise<Received> {
  const puback = nextPacket(client, 'puback')
  client.publish(topic, payload, { qos: 1 }, () => {})
  return puback
}

/** The code with which a CONNECT is refused. */
async function refusedConnect(url: string, options: IClientOptions): Promise<number> {
  const client = mqtt.connect(url, { reconnectPeriod: 0, ...options })
  const packets = packetsOf(client)
  client.on('error', () => {})
  await new Promise<void>((resolve) => client.once('close', resolve))
  client.end(true)
  const connack = packets.find(({ cmd }) => cmd === 'connack')
  return options.protocolVersion === 5 ? connack?.reasonCode : connack?.returnCode
}
