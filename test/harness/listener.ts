import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer as bodyOf } from 'node:stream/consumers'
import type { Ending } from './ending.ts'

export const KEEP_ALIVE_MS = 600_000

type Heard = { readonly headers: Record<string, unknown>; readonly text: string; readonly json: any }

/**
 * A foreign HTTP endpoint: records every request and answers with the status it was given, or not at all for `null`.
 */
export type HttpEar = {
  readonly url: string
  readonly requests: readonly Heard[]
  answers(status: number | null): void
}

export async function listen(t: Ending): Promise<HttpEar> {
  const requests: Heard[] = []
  let status: number | null = 200
  const server = createServer((request, response) => {
    bodyOf(request).then(
      (body) => {
        const text = body.toString('utf8')
        requests.push({ headers: request.headers, text, json: text === '' ? null : JSON.parse(text) })
        if (status !== null) response.writeHead(status).end()
      },
      // A caller that was killed within its request has sent none.
      () => response.destroy(),
    )
  })
  // Longer than any test: a caller must not meet a connection that is just being closed.
  server.keepAliveTimeout = KEEP_ALIVE_MS
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    requests,
    answers(code) {
      status = code
    },
  }
}
