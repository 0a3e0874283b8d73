import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { Ending } from './ending.ts'

/** `cut`: nothing gets through. `deaf`: what the client sends gets through, and no answer comes back. */
type Weather = 'clear' | 'cut' | 'deaf'

export type LossyLine = {
  readonly url: string
  set(weather: Weather): void
}

/**
 * A network between a client and the service, which loses what a test wants. `target`: the service's address at that
 * moment, since one that starts again has another. Ends with the test.
 */
export async function openLossyLine(t: Ending, target: () => string): Promise<LossyLine> {
  const sockets = new Set<Socket>()
  let weather: Weather = 'clear'
  const server = createServer((near) => {
    near.on('error', () => {})
    if (weather === 'cut') return void near.destroy()
    const { hostname, port } = new URL(target())
    const far = connect(Number(port), hostname)
    far.on('error', () => near.destroy())
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket)
      socket.once('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
    near.on('data', (bytes) => far.write(bytes))
    far.on('data', (bytes) => weather === 'clear' && near.write(bytes))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const drop = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  t.after(async () => {
    const closed = once(server, 'close')
    server.close()
    drop()
    await closed
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    set(next) {
      // A connection that has lost bytes is of no use any more.
      if (next === 'cut' || weather === 'deaf') drop()
      weather = next
    },
  }
}
