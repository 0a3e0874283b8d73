import { type AddressInfo, connect, createServer } from 'node:net'
import { RoundTrips } from '../load/round-trips.ts'

/*
 * Stands before the socket of a database (first argument) and holds each answer back for some milliseconds (second
 * argument), as a network does. Sends its port to its parent and, on request, what has passed since the last request.
 */

const [path = '', delay = '0'] = process.argv.slice(2)
const delayMs = Number(delay)
const sessions = new Set<RoundTrips>()
let held = { count: 0, ms: 0 }
let before = { transactions: 0, trips: 0 }
const ended = { transactions: 0, trips: 0 }

const server = createServer((client) => {
  const upstream = connect(path)
  const trips = new RoundTrips()
  sessions.add(trips)
  client.setNoDelay(true)
  client.on('data', (chunk: Buffer) => {
    trips.asks()
    upstream.write(chunk)
  })
  upstream.on('data', (chunk: Buffer) => {
    const since = performance.now()
    // Timers of one duration fire in their order.
    setTimeout(() => {
      held = { count: held.count + 1, ms: held.ms + performance.now() - since }
      trips.answers(chunk)
      client.write(chunk)
    }, delayMs)
  })
  const over = () => {
    client.destroy()
    upstream.destroy()
    if (!sessions.delete(trips)) return
    ended.transactions += trips.transactions
    ended.trips += trips.trips
  }
  for (const socket of [client, upstream]) socket.on('error', over).on('close', over)
})
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))

process.on('message', () => {
  const now = { ...ended }
  for (const { transactions, trips } of sessions) {
    now.transactions += transactions
    now.trips += trips
  }
  process.send?.({
    roundTripMs: held.count === 0 ? delayMs : held.ms / held.count,
    transactions: now.transactions - before.transactions,
    trips: now.trips - before.trips,
  })
  before = now
  held = { count: 0, ms: 0 }
})
process.on('disconnect', () => process.exit(0))
