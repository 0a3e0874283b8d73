import { Agent, type RequestOptions, request } from 'node:https'
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { connect as connectSecure } from 'node:tls'
import type { AppsOrder, Opened, Phone } from './apps.ts'

/*
 * Installed apps that are opened, as Chromium does it: page and files come from the worker's cache. What is left
 * are the look for a new worker and the app's own requests, on as many connections as run beside each other. Then the
 * stream of events stays open.
 */

const sockets: Socket[] = []
const openMs: number[] = []
let requests = 0

type Opening = { readonly origin: string; readonly agent: Agent; readonly phone: Phone }

/** Settles when the answer begins (`'events'`) or is here, with its body. */
function ask({ origin, agent, phone }: Opening, path: string): Promise<void> {
  requests += 1
  const isStream = path === '/v1/sdk/events'
  const headers = {
    'x-app-id': phone.appId,
    'x-user-id': phone.userId,
    authorization: `Bearer ${phone.credential}`,
    accept: isStream ? 'text/event-stream' : '*/*',
    ...BROWSER,
  }
  return new Promise((resolve, reject) => {
    request(`${origin}${path}`, { agent, headers }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`${path}: ${answer.statusCode}`))
      answer.resume()
      if (isStream) resolve()
      else answer.once('end', resolve)
    })
      .on('error', (error) => (isOver ? resolve() : reject(error)))
      .end()
  })
}

/** What a browser says in each request. */
const BROWSER = {
  'accept-encoding': 'gzip, deflate, br, zstd',
  'accept-language': 'en-GB,en;q=0.9',
  'sec-ch-ua': '"Chromium";v="140", "Not=A?Brand";v="24"',
  'sec-ch-ua-mobile': '?1',
  'sec-ch-ua-platform': '"Android"',
  'sec-fetch-dest': 'empty',
  'sec-fetch-mode': 'cors',
  'sec-fetch-site': 'same-origin',
  'user-agent':
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
}

let isOver = false

/** Below the TLS, so that the bytes of the network are counted. */
class CountingAgent extends Agent {
  override createConnection({ host, port }: RequestOptions): Socket {
    const socket = connect({ host: host ?? '127.0.0.1', port: Number(port), noDelay: true })
    sockets.push(socket)
    return connectSecure({ socket, rejectUnauthorized: false })
  }
}

async function open(origin: string, phone: Phone): Promise<void> {
  const opening = { origin, phone, agent: new CountingAgent({ keepAlive: true, maxSockets: 6 }) }
  const began = performance.now()
  const checks = async (): Promise<void> => {
    await ask(opening, '/v1/sdk/me')
    await ask(opening, `/v1/app/applications/${phone.appId}`)
    await ask(opening, '/v1/sdk/me/app-devices')
  }
  const listens = async (): Promise<void> => {
    await ask(opening, '/v1/sdk/events')
    await ask(opening, '/v1/sdk/sos')
  }
  await Promise.all([checks(), listens(), ask(opening, '/v1/sdk/sos')])
  await ask(opening, '/app/sw.js')
  openMs.push(performance.now() - began)
}

async function openAll({ origin, phones, perSecond }: AppsOrder): Promise<void> {
  const all: Promise<void>[] = []
  for (const phone of phones) {
    if (isOver) return
    all.push(open(origin, phone))
    all.at(-1)!.catch(({ message }: Error) => process.send?.({ failed: message }))
    await wait((-Math.log(1 - Math.random()) * 1000) / perSecond)
  }
  await Promise.all(all)
  process.send?.('opened')
}

process.on('message', (order: AppsOrder | 'stop') => {
  if (order !== 'stop') return void openAll(order).catch(() => {})
  isOver = true
  const sum = (bytes: (socket: Socket) => number): number => sockets.reduce((all, one) => all + bytes(one), 0)
  process.send?.({
    openMs,
    requests,
    connections: sockets.length,
    bytesReceived: sum(({ bytesRead }) => bytesRead),
    bytesSent: sum(({ bytesWritten }) => bytesWritten),
  } satisfies Opened)
})
process.on('disconnect', () => process.exit(0))
