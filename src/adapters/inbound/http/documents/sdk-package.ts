import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { onDemand } from '../../../../lib/on-demand.ts'
import { answer, type Problem } from '../problem.ts'

/** The SDK as npm installs it. Null: this checkout has not built it. */
export type SdkPackage = () => Promise<Buffer | null>

const NOT_BUILT: Problem = {
  kind: 'NOT_FOUND',
  message: 'This checkout has not built the SDK. Run npm run build in it; an installation has it.',
}

/** `/sdk.tgz`: `npm install https://HOST/sdk.tgz`. */
export function serveSdk(app: FastifyInstance, sdk: SdkPackage): void {
  const read = onDemand(async () => {
    const bytes = await sdk()
    if (bytes === null) throw new Error('not built')
    return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"` }
  })
  app.get('/sdk.tgz', { schema: { hide: true } }, async (request, reply) => {
    const built = await read().catch(() => null)
    if (built === null) return answer(reply, null, NOT_BUILT)
    reply.headers({ etag: built.etag, 'cache-control': 'no-cache' })
    if (request.headers['if-none-match'] === built.etag) return reply.code(304).send()
    return reply.type('application/gzip').send(built.bytes)
  })
}
