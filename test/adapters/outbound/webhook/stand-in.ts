import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { KEEP_ALIVE_MS } from '../../../harness/listener.ts'

type Heard = { readonly path: string; readonly headers: IncomingHttpHeaders; readonly text: string }

/** A third party's HTTP service on loopback. `answer` gets every request once it has been read. */
export type StandIn = {
  readonly port: number
  readonly url: string
  readonly heard: readonly Heard[]
  /** The number of connections opened so far. */
  readonly connections: () => number
  /** The number of connections open now. */
  readonly open: () => number
}

export type Answer = (response: ServerResponse, place: number) => void

export async function standIn(t: TestContext, answer: Answer): Promise<StandIn> {
  const heard: Heard[] = []
  let opened = 0
  let open = 0
  const server = createServer((request, response) => {
    textOf(request).then(
      (text) => {
        heard.push({ path: request.url ?? '', headers: request.headers, text })
        answer(response, heard.length)
      },
      // A caller that broke off within its request has sent none.
      () => response.destroy(),
    )
  })
  server.keepAliveTimeout = KEEP_ALIVE_MS
  server.on('connection', (socket) => {
    opened++
    open++
    socket.on('close', () => open--)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { port, url: `http://127.0.0.1:${port}/hook`, heard, connections: () => opened, open: () => open }
}

export const status =
  (code: number, headers: Readonly<Record<string, string>> = {}): Answer =>
  (response) =>
    void response.writeHead(code, headers).end('answered')
/** Takes the request and never answers. */
export const silence: Answer = () => {}
/** Takes the request, then breaks the connection. */
export const reset: Answer = (response) => void response.socket?.resetAndDestroy()
