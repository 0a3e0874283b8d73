import assert from 'node:assert/strict'
import { connect as connectSocket, type Socket } from 'node:net'
import { type Duplex, duplexPair } from 'node:stream'
import type { TestContext } from 'node:test'
import mqttClient, { type IClientOptions, type MqttClient } from 'mqtt'
import mqtt, { type IConnectPacket, type Packet } from 'mqtt-packet'
import { type BrokerNeeds, createBroker } from '../../../../src/adapters/inbound/broker/broker.ts'
import { defaultLimits, type GateLimits } from '../../../../src/adapters/inbound/broker/limits.ts'
import type { Admission } from '../../../../src/adapters/inbound/broker/session/client-connection.ts'
import { Gate } from '../../../../src/adapters/inbound/broker/session/gate.ts'
import { Shares } from '../../../../src/adapters/inbound/broker/session/shares.ts'
import type { Connect } from '../../../../src/adapters/inbound/broker/wire/connect.ts'
import type { PublishPacket } from '../../../../src/adapters/inbound/broker/wire/publish.ts'
import { createListener } from '../../../../src/adapters/inbound/http/listener/listener.ts'
import type { IngestResult, Publish } from '../../../../src/app/ingest/ingest-publish.ts'
import type { Session } from '../../../../src/core/account/session.ts'
import { LoopTurns } from '../../../../src/lib/loop-turns.ts'
import { until as untilSeen } from '../../../harness/wait.ts'

export const ANA: Session = {
  appId: '0a000000-0000-7000-8000-00000000000a',
  userId: 'a0000000-0000-7000-8000-000000000001',
  externalUserId: 'ana',
  legacy: false,
  secretId: 1,
}
export const BEN: Session = {
  ...ANA,
  userId: 'b0000000-0000-7000-8000-000000000002',
  externalUserId: 'ben',
  secretId: 2,
}

export const alertsOf = (user: Session) => `sos/alerts/${user.userId}`
export const telemetryOf = (user: Session) => `tel/${user.userId}/data`
export const eventsOf = (user: Session) => `sos/events/${user.userId}`

export const until = (condition: () => boolean, what: string): Promise<true> => untilSeen(what, condition)

/** For the CONNECT: longer than any `until`, so that no connection ends by it unnoticed. */
const UNHURRIED_MS = 600_000

/** Stops the monotonic clock of this process. `passes` moves it. */
export function stopClock(t: TestContext): { now(): number; passes(ms: number): void } {
  // Whole milliseconds: with a fraction, now + limit - now may come out below the limit.
  let now = Math.ceil(performance.now())
  t.mock.method(performance, 'now', () => now)
  return {
    now: () => now,
    passes(ms) {
      now += ms
    },
  }
}

/** Lets everything that is already in flight in memory happen. */
export async function quiet(): Promise<void> {
  for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve))
}

export const packet = (fields: Record<string, unknown>, version: number): Buffer =>
  mqtt.generate(fields as unknown as Packet, { protocolVersion: version })

export const connectPacket = (version: number, fields: Partial<IConnectPacket> = {}): Buffer =>
  packet(
    {
      cmd: 'connect',
      protocolId: version === 3 ? 'MQIsdp' : 'MQTT',
      protocolVersion: version,
      clean: true,
      clientId: 'phone',
      keepalive: 30,
      username: 'sdk:app:ana',
      password: Buffer.from('right'),
      ...fields,
    },
    version,
  )

export const publishPacket = (version: number, messageId: number, fields: Record<string, unknown> = {}): Buffer =>
  packet(
    { cmd: 'publish', topic: telemetryOf(ANA), payload: `{"n":${messageId}}`, qos: 1, messageId, ...fields },
    version,
  )

/** Collects the packets in a stream of bytes. */
function packetsOf(stream: Duplex, version: number): Packet[] {
  const packets: Packet[] = []
  const parser = mqtt.parser({ protocolVersion: version })
  parser.on('packet', (one) => packets.push({ ...one }))
  parser.on('error', (error) => assert.fail(error))
  stream.on('data', (chunk: Buffer) => parser.parse(chunk))
  return packets
}

export type GateSetup = {
  version?: 3 | 4 | 5
  limits?: Partial<GateLimits>
  admit?: (connect: Connect) => Promise<Admission>
  connect?: Partial<IConnectPacket>
  isCongested?: () => boolean
  /** Of several gates, if they are one user's. */
  shares?: Shares
  /** Called with every publish that the ingest gets. */
  onTake?: () => void
}

/**
 * A gate between an in-memory client, a stand-in for Aedes that records its input and answers only the CONNECT, and an
 * ingest whose results the test decides.
 */
export function startGate(
  t: TestContext,
  {
    version = 4,
    limits = {},
    admit,
    connect,
    isCongested = () => false,
    shares = new Shares(new LoopTurns()),
    onTake = () => {},
  }: GateSetup = {},
) {
  // Like a TCP client, this one closes when the other side has closed.
  const [client, stream] = duplexPair({ allowHalfOpen: false })
  const writes: Buffer[] = []
  const write = stream.write.bind(stream) as (chunk: Buffer | string, ...more: unknown[]) => boolean
  stream.write = ((chunk: Buffer | string, ...more: unknown[]) => {
    writes.push(typeof chunk === 'string' ? Buffer.from(chunk, 'latin1') : chunk)
    return write(chunk, ...more)
  }) as Duplex['write']
  const admitted: Connect[] = []
  const passed: Packet[] = []
  const refusals: string[] = []
  const failures: Error[] = []
  const taken: (PublishPacket & { settle: (result: IngestResult | Error) => void })[] = []
  const admits = async (asked: Connect): Promise<Admission> => {
    admitted.push(asked)
    return (await admit?.(asked)) ?? { session: ANA, scopedId: `${ANA.userId}|${asked.clientId}` }
  }
  const gate = new Gate(stream, admits, {
    limits: { ...defaultLimits, ...limits },
    shares,
    take(_session, publish, settle) {
      taken.push({ ...(publish as PublishPacket), settle })
      onTake()
    },
    isCongested,
    refused: (operation) => refusals.push(operation),
    failed: (_session, error) => failures.push(error),
    enter: () => {
      const parser = mqtt.parser()
      parser.on('error', (error) => assert.fail(error))
      parser.on('packet', (one) => {
        passed.push({ ...one })
        if (one.cmd === 'connect')
          gate.write(packet({ cmd: 'connack', returnCode: 0, reasonCode: 0, sessionPresent: false }, version))
      })
      gate.on('readable', () => {
        for (let chunk = gate.read() as Buffer | null; chunk !== null; chunk = gate.read() as Buffer | null) {
          parser.parse(chunk)
        }
      })
    },
  })
  t.after(() => {
    gate.destroy()
    stream.destroy()
    client.destroy()
  })
  client.on('error', () => {})
  const received = packetsOf(client, version)
  return {
    gate,
    client,
    /** The packets that Aedes got. */
    passed,
    /** The publishes that the ingest got, and their packet ids. */
    taken,
    published: () => taken.map(({ id }) => id),
    /** Settles the nth publish that the ingest got. */
    settle: (n: number, result: IngestResult | Error = 'stored') => taken[n]!.settle(result),
    admitted,
    refusals,
    /** Why publishes could not be stored. */
    failures,
    /** What the client got: packets, and the individual writes. */
    received,
    writes,
    receivedCmds: () => received.map(({ cmd }) => cmd),
    /** Aedes answers. */
    answer: (fields: Record<string, unknown>) => gate.write(packet(fields, version)),
    async opened() {
      client.write(connectPacket(version, connect))
      await until(() => received.length > 0, 'the CONNACK came')
      return this
    },
    over: () => until(() => gate.destroyed && stream.destroyed, 'the connection ended'),
  }
}

export const silentLog = { info() {}, warn() {}, error() {} }
export const silentMeter = { count() {}, observe() {} }

type Ingested = { user: string; kind: string; topic: string; payload: string }

/** A broker on loopback with a stand-in for the application. Passwords: `right`; users: ana, ben. */
export async function startBroker(
  t: TestContext,
  parts: Partial<Omit<BrokerNeeds, 'ingest'>> & { readonly ingest?: (publish: Publish) => Promise<IngestResult> } = {},
) {
  const taken: Ingested[] = []
  const broker = await createBroker({
    log: silentLog,
    meter: silentMeter,
    identify: async (username, password) => {
      const user = [ANA, BEN].find(({ externalUserId }) => username === `sdk:app:${externalUserId}`)
      return password === 'right' ? (user ?? null) : null
    },
    ...parts,
    limits: { connectMs: UNHURRIED_MS, ...parts.limits },
    ingest: (publish, settled) => {
      const { session, kind, topic, payload } = publish
      const result = parts.ingest?.(publish) ?? Promise.resolve('stored' as const)
      result.then((ingested) => {
        taken.push({ user: session.externalUserId, kind, topic, payload: payload.toString() })
        settled(ingested)
      }, settled)
    },
  })
  const { url } = await broker.listen({ host: '127.0.0.1', port: 0 })
  const http = createListener((_request, response) => void response.end())
  broker.attachWebSocket(http.server)
  const webUrl = await http.listen({ host: '127.0.0.1', port: 0 })
  const webSocketUrl = `${webUrl.replace('http', 'ws')}/mqtt`
  const ends: (() => unknown)[] = []
  t.after(async () => {
    // First the clients: the broker would give each of them two seconds to read its last packets.
    await Promise.all(ends.map((end) => end()))
    await broker.close()
    await http.close()
  })

  /** A connected MQTT.js client, which is ended with the test. */
  async function client(options: IClientOptions & { over?: 'tcp' | 'ws' } = {}): Promise<MqttClient> {
    const { over = 'tcp', ...rest } = options
    const connected = mqttClient.connect(over === 'ws' ? webSocketUrl : url, {
      username: 'sdk:app:ana',
      password: 'right',
      clientId: 'phone',
      reconnectPeriod: 0,
      ...rest,
    })
    ends.push(() => connected.endAsync(true))
    const failures: Error[] = []
    connected.on('error', (error) => failures.push(error))
    await until(() => connected.connected || failures.length > 0, 'the client connected')
    if (failures[0]) throw failures[0]
    return connected
  }

  /** A bare socket, with the packets received on it. */
  function raw(version: number): { socket: Socket; received: Packet[]; closed: () => boolean } {
    const socket = connectSocket(Number(new URL(url).port), '127.0.0.1')
    socket.on('error', () => {})
    ends.push(() => socket.destroy())
    return { socket, received: packetsOf(socket, version), closed: () => socket.closed }
  }

  return { broker, url, webSocketUrl, http, taken, client, raw, ends }
}
