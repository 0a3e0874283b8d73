import type { Socket } from 'node:net'
import { connect } from 'node:tls'
import { limitedTo } from '../machine/memory-limit.ts'
import { listenersOf, WITH_TLS } from './listeners.ts'
import { whenOver } from './raw-http.ts'
import { attackPart } from './under-attack.ts'

const MB = 1024 * 1024
const CONNECTIONS = 300
const MEMORY_MB = 512
/** As many as fit into the longest body. */
const CHUNKS = 64_000
const CHUNKS_A_WRITE = 500
const CHUNK = '1\r\na\r\n'

const HEAD = ['host: localhost', 'content-type: application/json', 'transfer-encoding: chunked']
/** As the console asks, and as a user of an application that nobody knows. */
const REQUESTS = [
  ['POST /v1/operator/session HTTP/1.1', ...HEAD, 'x-tocsin-console: 1', 'origin: https://localhost'],
  [
    'POST /v1/sdk/sos HTTP/1.1',
    ...HEAD,
    'x-app-id: 01a1fc3b-0000-7000-8000-000000000002',
    'x-user-id: mia',
    `authorization: Bearer ${'a'.repeat(64)}`,
  ],
].map((lines) => `${lines.join('\r\n')}\r\n\r\n`)

/** How much memory bodies can occupy that come one byte at a time: each chunk is an object until it is copied. */
export const oneByteChunks = attackPart({
  name: 'one-byte-chunks',
  what: `${CONNECTIONS} HTTPS connections without a credential, with ${CHUNKS.toLocaleString('en')} chunks of one byte each, on a service with ${MEMORY_MB} MB`,
  site: (ground) => ({ env: WITH_TLS, launcher: limitedTo(ground, MEMORY_MB * MB) }),
  mustLive: true,
  async run({ site, over }) {
    const { https } = listenersOf(site)
    const sockets: Socket[] = []
    let written = 0
    const body = CHUNK.repeat(CHUNKS_A_WRITE)
    const pours = async (n: number): Promise<void> => {
      const socket = connect({ port: https, host: '127.0.0.1', rejectUnauthorized: false })
      sockets.push(socket)
      socket.on('error', () => {})
      socket.resume()
      socket.write(REQUESTS[n % REQUESTS.length]!)
      for (let at = 0; at < CHUNKS && !socket.destroyed && !over.aborted; at += CHUNKS_A_WRITE) {
        written += CHUNKS_A_WRITE
        if (socket.write(body)) continue
        await new Promise<void>((resolve) => {
          socket.once('drain', resolve).once('close', resolve)
          over.addEventListener('abort', () => resolve(), { once: true })
        })
      }
    }
    await Promise.all(Array.from({ length: CONNECTIONS }, (_, n) => pours(n)))
    await whenOver(over)
    const standing = sockets.filter((socket) => !socket.destroyed).length
    for (const socket of sockets) socket.destroy()
    return `${written.toLocaleString('en')} chunks, ${standing} connections stood in the end`
  },
})
