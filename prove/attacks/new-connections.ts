import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { listenersOf, WITH_TLS } from './listeners.ts'
import { closedOr } from './raw-http.ts'
import { attackPart } from './under-attack.ts'

const CONNECTIONS = 450
/** Another address than B's. */
const ATTACKER = '127.0.0.2'

/** What a client of this machine says first, to be said again and again: a handshake that costs the server only. */
async function firstWords(): Promise<Buffer> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const client = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }).on('error', () => {})
  const [socket] = (await once(server, 'connection')) as [Socket]
  const [hello] = (await once(socket, 'data')) as [Buffer]
  socket.destroy()
  client.destroy()
  server.close()
  return hello
}

/** How long a new connection waits behind those that another address opens at the same moment. */
export const newConnections = attackPart({
  name: 'new-connections',
  what: `${CONNECTIONS} TLS connections at once from another address, each opened anew after the server's first answer; B logs in anew over TLS for each press`,
  site: () => ({ env: WITH_TLS }),
  witness: { freshLogin: true, secure: true },
  async run({ site, over }) {
    const hello = await firstWords()
    const { mqtts } = listenersOf(site)
    let answered = 0
    const lane = async (): Promise<void> => {
      while (!over.aborted) {
        const socket = connect({ port: mqtts, host: '127.0.0.1', localAddress: ATTACKER })
        socket
          .on('error', () => {})
          .once('data', () => {
            answered += 1
            socket.resetAndDestroy()
          })
        socket.write(hello)
        await closedOr(socket, over)
        socket.destroy()
      }
    }
    await Promise.all(Array.from({ length: CONNECTIONS }, lane))
    return `${answered.toLocaleString('en')} handshakes begun`
  },
})
