import type { Socket } from 'node:net'
import { hasProgram } from '../../test/fixtures/requires.ts'
import { CannotRun } from '../ground.ts'
import { dial, requestFor, whenOver } from './raw-http.ts'
import { attackPart } from './under-attack.ts'

const CONNECTIONS = 4200
const DESCRIPTORS = 4096
const AT_ONCE = 100

/** Connections that sent one good request and then stay open. Every press of B uses a new connection. */
export const idleConnections = attackPart({
  name: 'idle-connections',
  what: `${CONNECTIONS} HTTP connections that brought one good request each, on a service with ${DESCRIPTORS} file descriptors; B logs in anew for each press`,
  site() {
    if (!hasProgram('prlimit')) throw new CannotRun('needs prlimit (util-linux)')
    return { launcher: ['prlimit', `--nofile=${DESCRIPTORS}:${DESCRIPTORS}`] }
  },
  times: 2,
  witness: { freshLogin: true },
  async run({ site, over }) {
    const sockets: Socket[] = []
    let refused = 0
    const open = async (): Promise<void> => {
      try {
        const socket = await dial(site.http)
        sockets.push(socket)
        socket.write(requestFor('/healthz'))
        // When descriptors have run out there is no answer: the kernel has accepted the connection, the service has
        // not.
        await new Promise<void>((resolve) => {
          socket.once('data', () => resolve())
          socket.once('close', () => resolve())
          over.addEventListener('abort', () => resolve(), { once: true })
        })
        socket.resume()
      } catch {
        refused += 1
      }
    }
    for (let at = 0; at < CONNECTIONS && !over.aborted; at += AT_ONCE) {
      await Promise.all(Array.from({ length: AT_ONCE }, open))
    }
    await whenOver(over)
    const standing = sockets.filter((socket) => !socket.closed).length
    for (const socket of sockets) socket.destroy()
    return `${sockets.length} connected, ${refused} refused, ${standing} stood in the end`
  },
})
