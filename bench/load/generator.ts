import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { connectFrame, type Identity } from './frames.ts'
import { type Message, publishOf } from './messages.ts'
import type { Order, Report, Result } from './orders.ts'
import { PublishRing } from './publish-ring.ts'

/*
 * The load generator, as a separate process. It reads answers into one buffer shared by all connections and counts
 * PUBACKs by their bytes, so that it costs about the same for every contender. Any error is reported and ends the run:
 * a lost connection must not look like a slow broker.
 */

const CONNACK_BYTES = 4
const PUBACK_BYTES = 4
const PUBACK = 0x40
/** How many publishes of one connection may be unacknowledged in the open loop, and how many bytes of them all. */
const PACED_PLACES = 2048
const PACED_BYTES = 256 * 1024 * 1024
const TYPICAL: Message = { kind: 'telemetry' }
const CONNECTS_AT_ONCE = 50

type Connection = { socket: Socket; ring: PublishRing; places: number; unacknowledged: number; oddBytes: number }

const tally = { sent: 0, acknowledged: 0, withheld: 0 }
let stopped = false
let onAcknowledged = (_connection: Connection, _count: number): void => {}

const report = (message: Report): void => void process.send?.(message)

function fail(reason: string): void {
  if (stopped) return
  stopped = true
  report({ kind: 'failed', reason })
}

function send(connection: Connection, count: number): void {
  connection.unacknowledged += count
  tally.sent += count
  connection.ring.take(count, (bytes) => connection.socket.write(bytes))
}

function acknowledged(connection: Connection, bytes: Uint8Array, length: number): void {
  if (connection.oddBytes === 0 && bytes[0] !== PUBACK) {
    fail(`packet type ${bytes[0]! >> 4} instead of a PUBACK`)
    return
  }
  const total = connection.oddBytes + length
  const count = Math.floor(total / PUBACK_BYTES)
  connection.oddBytes = total % PUBACK_BYTES
  connection.unacknowledged -= count
  tally.acknowledged += count
  if (!stopped) onAcknowledged(connection, count)
}

const answers = Buffer.alloc(64 * 1024)

type Opening = { readonly port: number; readonly message: Message; readonly places: number }

function open({ port, message, places }: Opening, identity: Identity, index: number): Promise<Connection> {
  return new Promise((resolve, reject) => {
    let connection: Connection | null = null
    const socket = connect({
      port,
      host: '127.0.0.1',
      noDelay: true,
      onread: {
        buffer: answers,
        callback: (length, bytes) => {
          if (connection !== null) {
            acknowledged(connection, bytes, length)
          } else if (length === CONNACK_BYTES && bytes[3] === 0) {
            const ring = new PublishRing(publishOf(message, identity, index), index, places)
            connection = { socket, ring, places, unacknowledged: 0, oddBytes: 0 }
            resolve(connection)
          } else {
            reject(
              new Error(`connection refused by the broker: ${Buffer.from(bytes.subarray(0, length)).toString('hex')}`),
            )
          }
          return true
        },
      },
    })
    socket.on('connect', () => socket.write(connectFrame(identity)))
    socket.on('error', (error) => (connection === null ? reject(error) : fail(error.message)))
    socket.on('close', () => (connection === null ? reject(new Error('closed')) : fail('a connection was closed')))
  })
}

async function openAll(opening: Opening, identities: readonly Identity[]): Promise<Connection[]> {
  const connections: Connection[] = []
  for (let at = 0; at < identities.length; at += CONNECTS_AT_ONCE) {
    const batch = identities.slice(at, at + CONNECTS_AT_ONCE)
    connections.push(...(await Promise.all(batch.map((identity, offset) => open(opening, identity, at + offset)))))
  }
  return connections
}

/** Measures from now until the returned function is called. */
function stopwatch(): () => Result {
  const before = { ...tally, at: performance.now(), cpu: process.cpuUsage() }
  return () => {
    const cpu = process.cpuUsage(before.cpu)
    return {
      sent: tally.sent,
      acknowledged: tally.acknowledged,
      withheld: tally.withheld,
      measured: tally.acknowledged - before.acknowledged,
      seconds: (performance.now() - before.at) / 1000,
      cpuSeconds: (cpu.user + cpu.system) / 1e6,
    }
  }
}

type Saturate = Extract<Order, { kind: 'saturate' }>
type Pace = Extract<Order, { kind: 'pace' }>

async function saturate(order: Saturate, stop: Promise<void>): Promise<Result> {
  const { port, message = TYPICAL, inFlight: places } = order
  const connections = await openAll({ port, message, places }, order.identities)
  onAcknowledged = send
  for (const connection of connections) send(connection, order.inFlight)
  await wait(order.warmUpMs)
  report({ kind: 'measuring' })
  const elapsed = stopwatch()
  await Promise.race([wait(order.measureMs), stop])
  return elapsed()
}

/** As many as there is room for on each connection, and enough for one burst. */
function placesOf(message: Message, { identities, burst }: Pace): number {
  const bytes = publishOf(message, identities[0]!, 0).payload.length * identities.length
  return Math.max(burst, Math.min(PACED_PLACES, Math.floor(PACED_BYTES / bytes)))
}

async function pace(order: Pace, stop: Promise<void>): Promise<Result> {
  const { port, message = TYPICAL, identities } = order
  const connections = await openAll({ port, message, places: placesOf(message, order) }, identities)
  report({ kind: 'measuring' })
  const elapsed = stopwatch()
  const began = performance.now()
  const { burst } = order
  let bursts = 0
  const timer = setInterval(() => {
    const owed = Math.floor(((performance.now() - began) * order.perSecond) / 1000 / burst)
    for (; bursts < owed; bursts++) {
      const connection = connections[bursts % connections.length]!
      if (connection.unacknowledged + burst > connection.places) tally.withheld += burst
      else send(connection, burst)
    }
  }, 1)
  await stop
  clearInterval(timer)
  return elapsed()
}

const stop = Promise.withResolvers<void>()

process.on('disconnect', () => process.exit(0))
process.on('message', async (order: Order) => {
  if (order.kind === 'stop') {
    stop.resolve()
    return
  }
  try {
    const result = order.kind === 'saturate' ? await saturate(order, stop.promise) : await pace(order, stop.promise)
    if (stopped) return
    stopped = true
    report({ kind: 'done', result })
  } catch (error) {
    fail(error instanceof Error ? error.message : String(error))
  }
})
