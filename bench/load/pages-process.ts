import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import type { PagesOrder } from './pages.ts'

/* Tracking pages that are open in browsers: each follows its events, and reads them. */

async function open(url: string): Promise<void> {
  const [answer] = (await once(get(url), 'response')) as [IncomingMessage]
  if (answer.statusCode !== 200) throw new Error(`${url}: ${answer.statusCode}`)
  await once(answer, 'data')
  answer.resume()
}

process.once('message', ({ origin, links }: PagesOrder) => {
  void Promise.all(links.map((link) => open(`${origin}${link}/events`))).then(
    () => process.send?.('opened'),
    () => process.exit(1),
  )
})
process.on('disconnect', () => process.exit(0))
