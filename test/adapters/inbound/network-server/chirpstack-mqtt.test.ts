import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  type EventSource,
  receiveEvents,
  reconnectMs,
} from '../../../../src/adapters/inbound/network-server/chirpstack-mqtt.ts'
import { systemResolve } from '../../../../src/adapters/outbound/http/address-guard.ts'
import { addressGuard, guardedBroker, publicGuard } from '../../../../src/adapters/outbound/http/guarded-socket.ts'
import type { UplinkTaken } from '../../../../src/app/field/take-uplink.ts'
import type { NetworkEvent } from '../../../../src/core/field/lorawan/network-event.ts'
import { StoreError } from '../../../../src/ports/store-error.ts'
import { chirpStackUp } from '../../../fixtures/uplinks.ts'
import { freePort } from '../../../harness/free-port.ts'
import { APPLICATION, EUI, mosquitto } from '../../../harness/mosquitto.ts'
import { until } from '../../../harness/wait.ts'

const clock = { now: () => Date.now() }
const silent = { info() {}, warn() {}, error() {} }

const sourceAt = (url: string): EventSource => ({
  server: { name: 'hut', type: 'chirpstack', appId: 'a', profile: null },
  url,
  username: null,
  password: null,
  topic: 'application/+/device/+/event/+',
  clientId: 'tocsin-hut-1',
})

const mayAlarm = (event: NetworkEvent): boolean => event.kind === 'uplink' && event.uplink.port === 3

const counterOf = (event: NetworkEvent): number => (event.kind === 'uplink' ? event.uplink.counter : -1)

suite('the events of ChirpStack over MQTT', () => {
  test('arrive, also those from while nobody listened, and those that could not be stored come again', async (t) => {
    const broker = await mosquitto(t)
    const taken: number[] = []
    let fails = 0
    const take = async (_server: unknown, event: NetworkEvent): Promise<UplinkTaken> => {
      if (fails > 0) {
        fails -= 1
        throw new StoreError('the disk is full', 'disk_full')
      }
      taken.push(counterOf(event))
      return 'stored'
    }
    const start = () => {
      // As a broker of the console, which the guard lets through here.
      const open = (url: string) =>
        guardedBroker(
          url,
          addressGuard(systemResolve(), () => false),
        )
      const source = { ...sourceAt(broker.url), open }
      const connection = receiveEvents(source, { take, mayAlarm, clock, log: silent, wait: () => 20 })
      t.after(() => connection.close())
      return connection
    }
    const told: string[] = []
    const refused = receiveEvents(
      { ...sourceAt(broker.url), clientId: 'refused', open: (url) => guardedBroker(url, publicGuard()) },
      { take, mayAlarm, clock, log: { ...silent, warn: (_, message) => void told.push(message) }, wait: () => 20 },
    )
    await until('two refusals', () => told.length >= 2 || undefined)
    await refused.close()
    assert.deepEqual(new Set(told), new Set(['the network server cannot be reached']))
    assert.ok(refused.disconnectedSince() !== null)
    const first = start()
    await until('connected', () => first.disconnectedSince() === null || undefined)
    await broker.uplink()
    await until('the first uplink', () => taken.includes(1) || undefined)

    await first.close()
    assert.equal(first.disconnectedSince() !== null, true)
    for (let times = 0; times < 3; times += 1) await broker.uplink()
    fails = 2
    start()
    await until('all uplinks', () => taken.length >= 4 || undefined)
    assert.deepEqual(taken, [1, 2, 3, 4])
  })

  test('what is no alarm and cannot be stored, or hangs, holds no alarm up', async (t) => {
    const broker = await mosquitto(t)
    const taken: number[] = []
    const take = async (_server: unknown, event: NetworkEvent): Promise<UplinkTaken> => {
      const counter = counterOf(event)
      if (counter === 1) throw new StoreError('the disk is full', 'disk_reserve')
      if (counter === 2) return new Promise(() => {})
      taken.push(counter)
      return 'alarmed'
    }
    const connection = receiveEvents(sourceAt(broker.url), { take, mayAlarm, clock, log: silent, wait: () => 20 })
    t.after(() => connection.close())
    await until('connected', () => connection.disconnectedSince() === null || undefined)
    for (const port of [2, 2, 3]) await broker.uplink(port)
    await until('the alarm', () => taken.length > 0 || undefined)
    assert.deepEqual([taken, connection.disconnectedSince()], [[3], null])
  })

  test('what is no JSON is handed on as unreadable and holds nothing up', async (t) => {
    const broker = await mosquitto(t)
    const kinds: string[] = []
    const take = async (_server: unknown, event: NetworkEvent): Promise<UplinkTaken> => {
      kinds.push(event.kind)
      return 'stored'
    }
    const connection = receiveEvents(sourceAt(broker.url), { take, mayAlarm, clock, log: silent, wait: () => 20 })
    t.after(() => connection.close())
    await until('connected', () => connection.disconnectedSince() === null || undefined)
    await broker.publish(`application/${APPLICATION}/device/${EUI}/event/up`, '{broken')
    await broker.publish(
      `application/${APPLICATION}/device/${EUI}/event/log`,
      JSON.stringify(chirpStackUp({ devEui: EUI, at: '', counter: 1, port: 1 })),
    )
    await broker.uplink()
    await until('three events', () => kinds.length === 3 || undefined)
    assert.deepEqual(kinds, ['unreadable', 'ignored', 'uplink'])
  })

  test('an SOS of QoS 0 is tried again until it is stored; one that breaks the code holds nothing up', async (t) => {
    const broker = await mosquitto(t)
    const taken: number[] = []
    let fails = 2
    const take = async (_server: unknown, event: NetworkEvent): Promise<UplinkTaken> => {
      if (counterOf(event) === 2) throw new TypeError('a fault in the code')
      if (fails > 0) {
        fails -= 1
        throw new StoreError('the disk is full', 'disk_full')
      }
      taken.push(counterOf(event))
      return 'alarmed'
    }
    const lines: string[] = []
    const log = { ...silent, warn: (_fields: unknown, message: string) => lines.push(message) }
    const connection = receiveEvents(sourceAt(broker.url), { take, mayAlarm, clock, log, wait: () => 20 })
    t.after(() => connection.close())
    await until('connected', () => connection.disconnectedSince() === null || undefined)
    const sos = (counter: number) => JSON.stringify(chirpStackUp({ devEui: EUI, at: '', counter, port: 3 }))
    const topic = `application/${APPLICATION}/device/${EUI}/event/up`
    await broker.publish(topic, sos(1), { qos: 0 })
    await broker.publish(topic, sos(2))
    await broker.publish(topic, sos(3), { qos: 0 })
    await until('both alarms', () => taken.length === 2 || undefined)
    assert.deepEqual(taken, [1, 3])
    assert.deepEqual([lines.length, /qos=1/.test(lines[0]!)], [1, true])
  })

  test('an old SOS that the broker holds as retained does not alarm at each connection; a new one does', async (t) => {
    const broker = await mosquitto(t)
    const up = (minutesAgo: number, counter: number) =>
      JSON.stringify(
        chirpStackUp({ devEui: EUI, at: new Date(Date.now() - minutesAgo * 60_000).toISOString(), counter, port: 3 }),
      )
    const topicOf = (device: string) => `application/${APPLICATION}/device/${device}/event/up`
    await broker.publish(topicOf('1'), up(25 * 60, 1), { retain: true })
    await broker.publish(topicOf('2'), up(23 * 60, 2), { retain: true })
    await broker.publish(topicOf('3'), '{broken', { retain: true })
    const taken: number[] = []
    const kept: string[] = []
    const take = async (_server: unknown, event: NetworkEvent): Promise<UplinkTaken> => {
      if (event.kind === 'unreadable') kept.push(event.reason)
      else taken.push(counterOf(event))
      return 'alarmed'
    }
    const connection = receiveEvents(sourceAt(broker.url), { take, mayAlarm, clock, log: silent, wait: () => 20 })
    t.after(() => connection.close())
    await until('the recent one', () => taken.includes(2) || undefined)
    await until('the old one is kept', () => kept.length > 0 || undefined)
    await broker.publish(topicOf('1'), up(26 * 60, 4), { retain: true })
    await until('the one that is sent now', () => taken.includes(4) || undefined)
    assert.deepEqual([taken, kept.length], [[2, 4], 1])
    assert.match(kept[0] ?? '', /more than a day ago/)
  })

  test('once left, it takes nothing more, but stores the SOS that could not be stored before', async (t) => {
    const broker = await mosquitto(t)
    const taken: number[] = []
    let tries = 0
    const take = async (_server: unknown, event: NetworkEvent): Promise<UplinkTaken> => {
      tries += 1
      if (tries < 3) throw new StoreError('the disk is full', 'disk_full')
      taken.push(counterOf(event))
      return 'alarmed'
    }
    const stop = new AbortController()
    const needs = { take, mayAlarm, clock, log: silent, stopped: stop.signal }
    const connection = receiveEvents(sourceAt(broker.url), { ...needs, wait: () => (tries === 1 ? 60_000 : 20) })
    t.after(() => connection.close())
    await until('connected', () => connection.disconnectedSince() === null || undefined)
    await broker.uplink()
    await until('it could not be stored', () => tries === 1 || undefined)
    await until('the connection is cut', () => connection.disconnectedSince() !== null || undefined)
    await connection.leave()
    await until('it is stored', () => taken.length > 0 || undefined)
    await broker.uplink()
    assert.deepEqual([taken, tries], [[1], 3])
    stop.abort()
  })

  test('a broker that cannot be reached is tried again, less and less often, but every 10 s at least', async (t) => {
    const failures: number[] = []
    const take = async (): Promise<UplinkTaken> => 'stored'
    const url = `mqtt://127.0.0.1:${await freePort()}`
    const wait = (count: number) => {
      failures.push(count)
      return 1
    }
    const connection = receiveEvents(sourceAt(url), { take, mayAlarm, clock, log: silent, wait })
    t.after(() => connection.close())
    await until('several attempts', () => failures.length >= 3 || undefined)
    assert.deepEqual(failures.slice(0, 3), [0, 1, 2])
    assert.ok(connection.disconnectedSince() !== null)
    const waits = (chance: number) => [0, 1, 3, 4, 1000].map((count) => reconnectMs(count, chance))
    assert.deepEqual(waits(1), [1000, 2000, 8000, 10_000, 10_000])
    assert.deepEqual(waits(0), [750, 1500, 6000, 7500, 7500])
  })
})
