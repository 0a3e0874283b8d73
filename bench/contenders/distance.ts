import { once } from 'node:events'
import { end, startModule } from '../children.ts'

const PROCESS = new URL('./distance-process.ts', import.meta.url)

/** Since the last look. `roundTripMs`: how long answers were held back in fact, since timers are late. */
type Passed = { readonly roundTripMs: number; readonly transactions: number; readonly trips: number }

/** The distance between a node and its database, as a separate process. */
export type Distance = {
  readonly port: number
  passed(): Promise<Passed>
  stop(): Promise<void>
}

/** `path`: the socket of the server. */
export async function startDistance(path: string, delayMs: number): Promise<Distance> {
  const child = startModule(PROCESS, [path, String(delayMs)])
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  return {
    port,
    async passed() {
      const answer = once(child, 'message')
      child.send('passed')
      const [passed] = (await answer) as [Passed]
      return passed
    },
    stop: () => end(child),
  }
}
