import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest, RequestPayload } from 'fastify'
import { TOO_LARGE } from '../answers/faults.ts'
import { RequestProblem } from '../problem.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Its body is never read, or it reads it itself. */
    ignoresBody?: boolean
  }
}

const MIN_BYTES = 1024

/**
 * Has bodies read into one buffer, for all routes that are added from now on: Fastify keeps each chunk until the last
 * one is here, and a client may send one byte a chunk, at two hundred bytes of memory each. A body over the limit of
 * its route is refused as soon as that is known.
 */
export function readBodiesWhole(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    // The last one: those before it may refuse the body.
    route.preParsing = [...[route.preParsing ?? []].flat(), whole]
  })
}

async function whole(request: FastifyRequest, _reply: unknown, payload: RequestPayload): Promise<RequestPayload> {
  const { raw, routeOptions } = request
  // No more chunks follow, and what the parser may have ready is bounded (turns.ts).
  if (routeOptions.config.ignoresBody || raw.complete) return payload
  const limit = routeOptions.bodyLimit
  if (Number(request.headers['content-length'] ?? 0) > limit) throw new RequestProblem(TOO_LARGE)
  return Readable.from(await joined(payload, limit))
}

/**
 * The body, once all of it is here; one over the limit is discarded and counts as empty. For routes that read it
 * themselves. Rejects with the stream's error.
 */
export const bodyOrNothing = (payload: RequestPayload, limit: number): Promise<Buffer> =>
  joined(payload, limit, { discards: true })

/**
 * Rejects with the stream's error, or once there are more bytes than `limit`; the rest is then discarded. `discards`:
 * instead, all of it is, and nothing is left at its end.
 */
function joined(payload: RequestPayload, limit: number, { discards = false } = {}): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  let bytes = Buffer.alloc(0)
  let length = 0
  const read = (chunk: Buffer): void => {
    const needed = length + chunk.length
    if (needed > limit) {
      payload.off('data', read)
      bytes = Buffer.alloc(0)
      length = 0
      if (discards) payload.resume()
      else reject(new RequestProblem(TOO_LARGE))
      return
    }
    if (needed > bytes.length) {
      const room = Buffer.allocUnsafeSlow(Math.min(limit, Math.max(MIN_BYTES, needed, 2 * bytes.length)))
      bytes.copy(room, 0, 0, length)
      bytes = room
    }
    chunk.copy(bytes, length)
    length = needed
  }
  payload
    .on('data', read)
    .once('end', () => resolve(bytes.subarray(0, length)))
    .once('error', reject)
    .once('close', () => reject(new RequestProblem({ kind: 'VALIDATION', message: 'The body is incomplete.' })))
  return promise
}
