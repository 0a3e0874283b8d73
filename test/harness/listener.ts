import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

type Heard = { readonly headers: Record<string, unknown>; readonly text: string; readonly json: any }

/**
 * A foreign HTTP endpoint: records every request and answers with the status it was given, or not at all for `null`.
 */
export type HttpEar = {
  readonly url: string
  readonly requests: readonly Heard[]
  answers(status: number | null): void
}

export async function listen(t: TestContext): Promise<HttpEar> {
  const requests: Heard[] = []
  let status: number | null = 200
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString('utf8')
    requests.push({ headers: request.headers, text, json: text === '' ? null : JSON.parse(text) })
    if (status !== null) response.writeHead(status).end()
  })
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
