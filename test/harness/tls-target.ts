import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json as jsonOf } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { issueAuthority, issueServer, newKey } from '../../src/adapters/platform/tls/issue.ts'
import { KEEP_ALIVE_MS } from './listener.ts'

/**
 * An HTTPS endpoint that at first does not complete handshakes: a caller gets a connection but cannot have sent a
 * request. `greets()` turns it into an ordinary one that answers 200.
 */
export type TlsTarget = {
  readonly url: string
  /** Environment that makes a calling process trust its certificate. */
  readonly env: { readonly NODE_EXTRA_CA_CERTS: string }
  /** Calls that have begun: their first bytes are here. */
  readonly calls: readonly Socket[]
  /** Bodies of the requests that came through. */
  readonly requests: readonly any[]
  greets(): void
}

export async function startTlsTarget(t: TestContext): Promise<TlsTarget> {
  const key = newKey()
  const authority = { key, cert: await issueAuthority(key, Date.now()) }
  const issued = await issueServer(authority, ['127.0.0.1'], Date.now())
  const directory = await mkdtemp(join(tmpdir(), 'tocsin-target-'))
  const trusted = join(directory, 'ca.crt')
  await writeFile(trusted, authority.cert)

  const requests: any[] = []
  const https = createHttpsServer(issued, (request, response) => {
    jsonOf(request).then(
      (json) => {
        requests.push(json)
        response.writeHead(200).end()
      },
      // A caller that was killed within its request has sent none.
      () => response.destroy(),
    )
  })
  https.keepAliveTimeout = KEEP_ALIVE_MS
  const calls: Socket[] = []
  const sockets = new Set<Socket>()
  let greeting = false
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    if (greeting) https.emit('connection', socket)
    else socket.once('data', () => calls.push(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await rm(directory, { recursive: true, force: true })
  })
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    env: { NODE_EXTRA_CA_CERTS: trusted },
    calls,
    requests,
    greets() {
      greeting = true
    },
  }
}
