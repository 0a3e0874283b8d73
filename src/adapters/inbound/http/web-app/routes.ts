import type { FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify'
import type { ConsoleFiles } from '../../../../ports/console-files.ts'
import type { LocalCa, WebApps } from '../../../../ports/web-apps.ts'
import { bundleHeaders, ONE_YEAR, policyOf, sendFile } from '../answers/built-file.ts'
import { answer, NOTHING_HERE, type Problem } from '../problem.ts'
import { languagesOf } from '../tracking/language.ts'
import { pageHeaders } from '../tracking/style.ts'

/** The app in the box: who has it, and its files. `localCa`: null where phones need none to trust this site. */
export type WebAppParts = {
  readonly apps: WebApps
  readonly files: ConsoleFiles
  readonly localCa: () => LocalCa | null
  /** Whether phones open this site over plain HTTP, where browsers withhold APIs that the app needs. */
  readonly needsHttps: () => boolean
}

const POLICY = policyOf([], ["manifest-src 'self'", "worker-src 'self'"])
const WORKER = 'sw.js'
const ICON_AGE = 'public, max-age=86400'

const NOT_BUILT: Problem = {
  kind: 'UNAVAILABLE',
  message: 'The app is being built. Open this page again in some seconds.',
  headers: { 'retry-after': '5' },
}

type OfApp = { Querystring: { app?: unknown } }

/**
 * `/app`: the page, its files, its service worker, and the manifest and icons of an application; `/trust`: the site's
 * own CA. All of it is public; personal data comes over `/v1`. 404 while no application has the app switched on.
 */
export const webAppRoutes =
  ({ apps, files, localCa, needsHttps }: WebAppParts): FastifyPluginCallback =>
  (app, _options, done) => {
    const schema = { hide: true } as const
    const missing = (reply: FastifyReply): FastifyReply => answer(reply, null, NOTHING_HERE)
    const page = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const built = await files()
      if (built === null) return answer(reply, null, NOT_BUILT)
      return sendFile(request, reply.headers(bundleHeaders(POLICY)), built.page, 'no-cache')
    }
    const named = async ({ app: id }: OfApp['Querystring']) => (typeof id === 'string' ? apps.find(id) : null)

    app.addHook('onRequest', async (_request, reply) => {
      if (!(await apps.isAnyOn())) return missing(reply)
    })
    // The scope of the service worker ends with a slash.
    app.get('/app', { schema }, async (_request, reply) => reply.redirect('/app/', 302))
    app.get('/app/', { schema }, page)
    app.get('/app/join', { schema }, page)
    app.get<{ Params: { name: string } }>('/app/assets/:name', { schema }, async (request, reply) => {
      const { name } = request.params
      const asset = name === WORKER ? undefined : (await files())?.assets.get(name)
      return asset === undefined ? missing(reply) : sendFile(request, reply, asset, ONE_YEAR)
    })
    app.get(`/app/${WORKER}`, { schema }, async (request, reply) => {
      const worker = (await files())?.assets.get(WORKER)
      if (worker === undefined) return missing(reply)
      return sendFile(request, reply.headers(bundleHeaders(POLICY)), worker, 'no-cache')
    })
    app.get<OfApp>('/app/manifest.webmanifest', { schema }, async (request, reply) => {
      const found = await named(request.query)
      if (found === null) return missing(reply)
      const { manifestOf } = await import('./manifest.ts')
      return reply
        .type('application/manifest+json; charset=utf-8')
        .header('cache-control', 'no-cache')
        .send(JSON.stringify(manifestOf(found)))
    })
    app.get<{ Params: { file: string } } & OfApp>('/app/:file', { schema }, async (request, reply) => {
      const { drawIcon } = await import('./icon.ts')
      const icon = await drawIcon(request.params.file, await named(request.query))
      if (icon === null) return missing(reply)
      return reply.type(icon.type).header('cache-control', ICON_AGE).send(icon.bytes)
    })
    app.get('/trust', { schema }, async (request, reply) => {
      const { trustDocument } = await import('./trust.ts')
      const wanted = languagesOf(request.headers['accept-language'])
      return reply.headers(pageHeaders).send(trustDocument(localCa(), wanted, needsHttps()))
    })
    app.get('/trust/ca.crt', { schema }, async (_request, reply) => {
      const ca = localCa()
      if (ca === null) return missing(reply)
      const { certificateBytes } = await import('./trust.ts')
      return reply
        .type('application/x-x509-ca-cert')
        .headers({ 'cache-control': 'no-store', 'content-disposition': 'attachment; filename="ca.crt"' })
        .send(certificateBytes(ca))
    })
    done()
  }
