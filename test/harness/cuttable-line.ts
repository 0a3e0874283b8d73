import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { Ending } from './ending.ts'

export type CuttableLine = {
  /** As the service's own address, over the line. */
  readonly url: string
  /** Ends every connection, and takes none until `restore`. */
  cut(): void
  restore(): void
}

/** A network between a browser and the service at `url` that a test can cut. Ends with the test. */
export async function openLine(t: Ending, url: string): Promise<CuttableLine> {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  let isCut = false
  const server = createServer((near) => {
    if (isCut) return void near.destroy()
    const far = connect(Number(port), hostname)
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.once('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
      socket.pipe(other)
    }
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
    cut() {
      isCut = true
      drop()
    },
    restore() {
      isCut = false
    },
  }
}
