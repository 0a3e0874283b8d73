import { createServer } from 'node:net'

/** Below the ports that systems give to sockets which ask for any: nobody gets one of these by chance. */
const FIRST = 16_384
const COUNT = 12_288

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })

/**
 * A port of loopback that nobody listens on, for a program that cannot choose one itself. Port 0 would not do: once
 * closed, its port may go to any other process before the program has it.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * COUNT)
    if (await isFree(port)) return port
  }
}
