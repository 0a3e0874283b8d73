import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ConsoleFiles } from '../../../../ports/console-files.ts'
import { bundleHeaders, ONE_YEAR, policyOf, sendFile } from '../answers/built-file.ts'
import { answer, NOTHING_HERE } from '../problem.ts'
import { Html, html } from '../tracking/html.ts'
import { headersWithScript, style } from '../tracking/style.ts'

/**
 * By script: a `Refresh` of an address with `#invitation=…` would only scroll, and a new site opens the link for the
 * first sign-in first.
 */
const LOOK_AGAIN = 'setTimeout(() => location.reload(), 3000)'

/** For the second that a first start builds in, and for an installation that the service may not write to. */
const NOT_BUILT = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>Tocsin: the console is not built yet</title>
<style>${new Html(style)}</style>
<script>${new Html(LOOK_AGAIN)}</script>
</head>
<body>
<header><h1>The console is not built yet</h1><p>Alerts are received and sent all the same.</p></header>
<main>
<p>After the first start this takes a few seconds; this page looks again by itself.</p>
<p>If it stays, run <code>npm run build:console</code> in the directory of the installation, as the user that owns it. The log of the service says why it could not be built at the start.</p>
</main>
</body>
</html>
`.text

/** The worker loads nothing. */
const WORKER_POLICY = policyOf([])

/**
 * `/console`: the page and its files. The page fetches everything else from the operator API. `imageOrigins`: where the
 * map has images from, besides this host.
 */
export function serveConsole(
  app: FastifyInstance,
  files: ConsoleFiles,
  imageOrigins: () => readonly string[] = () => [],
): void {
  const options = { schema: { hide: true } } as const
  const page = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const built = await files()
    if (built === null)
      return reply
        .code(503)
        .headers({ ...headersWithScript(LOOK_AGAIN), 'retry-after': '3' })
        .send(NOT_BUILT)
    const policy = policyOf(imageOrigins(), [
      "media-src 'self'",
      "font-src 'self'",
      "manifest-src 'self'",
      "worker-src 'self'",
    ])
    return sendFile(request, reply.headers(bundleHeaders(policy)), built.page, 'no-cache')
  }
  app.get('/console', options, page)
  app.get('/console/', options, page)
  // Under their own names: the worker's scope is where it stands, and both are looked at anew with each page.
  for (const name of ['sw.js', 'manifest.webmanifest']) {
    app.get(`/console/${name}`, options, async (request, reply) => {
      const file = (await files())?.assets.get(name)
      if (file === undefined) return answer(reply, null, NOTHING_HERE)
      return sendFile(request, reply.headers(bundleHeaders(WORKER_POLICY)), file, 'no-cache')
    })
  }
  app.get<{ Params: { name: string } }>('/console/assets/:name', options, async (request, reply) => {
    const asset = (await files())?.assets.get(request.params.name)
    return asset === undefined ? answer(reply, null, NOTHING_HERE) : sendFile(request, reply, asset, ONE_YEAR)
  })
}
