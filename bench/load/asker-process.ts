import { Agent, request } from 'node:http'
import type { Asked, AskedBody, AskOrder } from './asker.ts'

/* One client that asks as fast as it is answered, on some connections, until the parent has heard enough. */

const statuses: Record<string, number> = {}
let began = performance.now()
let isOver = false

const UNREADABLE = `[${'0,'.repeat(31 * 1024)}`
let alerts = 0
const bodies: Readonly<Record<AskedBody, () => string>> = {
  alert() {
    alerts += 1
    const nanos = String(alerts % 1_000_000).padStart(6, '0')
    return `{"timestamp":"${new Date().toISOString().slice(0, -1)}${nanos}Z","mobileBattery":41}`
  },
  unreadable: () => UNREADABLE,
}

type Request = Pick<AskOrder, 'headers' | 'body'> & { readonly url: string; readonly agent: Agent }

const ask = ({ url, headers, body, agent }: Request): Promise<string> =>
  new Promise((resolve) => {
    const failed = ({ code = 'error' }: NodeJS.ErrnoException): void => resolve(code)
    const sent = body === undefined ? null : bodies[body]()
    const ofBody = sent === null ? {} : { 'content-type': 'application/json', 'content-length': sent.length }
    request(url, { agent, method: sent === null ? 'GET' : 'POST', headers: { ...headers, ...ofBody } }, (answer) => {
      answer.resume()
      answer.on('end', () => resolve(String(answer.statusCode)))
      answer.on('error', failed)
    })
      .on('error', failed)
      .end(sent)
  })

async function askAll({ origin, headers, paths, connections, body }: AskOrder): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  began = performance.now()
  let next = 0
  const worker = async (): Promise<void> => {
    while (!isOver) {
      const url = `${origin}${paths[next++ % paths.length]}`
      const status = await ask({ url, headers, agent, ...(body !== undefined && { body }) })
      statuses[status] = (statuses[status] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: connections }, worker))
}

process.on('message', (order: AskOrder | 'stop') => {
  if (order !== 'stop') return void askAll(order)
  isOver = true
  process.send?.({ seconds: (performance.now() - began) / 1000, statuses } satisfies Asked)
})
process.on('disconnect', () => process.exit(0))
