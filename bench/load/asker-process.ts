import { Agent, get } from 'node:http'
import type { Asked, AskOrder } from './asker.ts'

/* One client that asks as fast as it is answered, on some connections, until the parent has heard enough. */

const statuses: Record<string, number> = {}
let began = performance.now()
let isOver = false

const ask = (url: string, authorization: string, agent: Agent): Promise<string> =>
  new Promise((resolve) => {
    const failed = ({ code = 'error' }: NodeJS.ErrnoException): void => resolve(code)
    get(url, { agent, headers: { authorization } }, (answer) => {
      answer.resume()
      answer.on('end', () => resolve(String(answer.statusCode)))
      answer.on('error', failed)
    }).on('error', failed)
  })

async function askAll({ origin, authorization, paths, connections }: AskOrder): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  began = performance.now()
  let next = 0
  const worker = async (): Promise<void> => {
    while (!isOver) {
      const status = await ask(`${origin}${paths[next++ % paths.length]}`, authorization, agent)
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
