import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import { yieldPlace } from './listener/connections.ts'

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // Proxies must not wait for more.
  'x-accel-buffering': 'no',
}

/** A comment that shows that the stream is alive; not an event. */
export const COMMENT = ':\n\n'

/**
 * Makes a stream of server-sent events of the reply, and returns what to write them to. `retryMs`: how long a browser
 * waits before it connects again; absent for readers that decide it themselves. An alarm may take its connection's
 * place.
 */
export function startEvents(
  reply: FastifyReply,
  { headers = {}, retryMs }: { readonly headers?: Readonly<Record<string, string>>; readonly retryMs?: number } = {},
): ServerResponse {
  const { raw: response, request } = reply
  reply.hijack()
  response.writeHead(200, { ...reply.getHeaders(), ...headers, ...HEADERS } as Record<string, string>)
  response.write(retryMs === undefined ? COMMENT : `retry: ${retryMs}\n\n`)
  yieldPlace(request.raw)
  return response
}

/** One event as it is written. `id`: a browser sends it back when it connects again; '' for none. */
export const eventOf = (event: string, told: object, id = ''): string =>
  `${id === '' ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(told)}\n\n`
