import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { onDemand } from '../../../../lib/on-demand.ts'
import { piecesOf } from '../answers/send-page.ts'
import { answer, NOTHING_HERE } from '../problem.ts'
import type { Documents } from './documents.ts'

/**
 * The page needs nothing from other hosts and may not contact any; a plain listener stays plain. Its script writes some
 * styles into elements.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The files of the page, by their names under `/docs/static`. No other file is served. */
const FILES = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'index.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'application/javascript; charset=utf-8',
  'favicon-16x16.png': 'image/png',
  'favicon-32x32.png': 'image/png',
} as const

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>Tocsin: REST API</title>
<link rel="stylesheet" href="/docs/static/swagger-ui.css">
<link rel="stylesheet" href="/docs/static/index.css">
<link rel="icon" type="image/png" href="/docs/static/favicon-32x32.png" sizes="32x32">
<link rel="icon" type="image/png" href="/docs/static/favicon-16x16.png" sizes="16x16">
</head>
<body>
<nav class="swagger-ui"><p class="wrapper">For <a href="/docs">apps</a>, <a href="/docs?for=operator">operators</a>, <a href="/docs?for=broker">MQTT brokers</a></p></nav>
<div id="swagger-ui"></div>
<script src="/docs/static/swagger-ui-bundle.js"></script>
<script src="/docs/static/swagger-initializer.js"></script>
</body>
</html>
`

/** `?for=`: whose document. Without the top bar, which is for those of other hosts, and an external validator. */
const INITIALIZER = `window.onload = () =>
  SwaggerUIBundle({
    url: { operator: '/openapi-operator.json', broker: '/openapi-broker.json' }[new URLSearchParams(location.search).get('for')] ?? '/docs/json',
    dom_id: '#swagger-ui',
    deepLinking: true,
    presets: [SwaggerUIBundle.presets.apis],
    layout: 'BaseLayout',
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    validatorUrl: null,
  })
`

type Served = { readonly type: string; readonly bytes: Buffer }

const served = (type: string, text: string): Served => ({ type, bytes: Buffer.from(text) })

const send = (reply: FastifyReply, { type, bytes }: Served): FastifyReply =>
  reply
    .type(type)
    .header('content-length', bytes.length)
    .header('cache-control', 'public, max-age=300')
    .send(Readable.from(piecesOf(bytes)))

const staticDir = (): string => join(createRequire(import.meta.url).resolve('@fastify/swagger-ui'), '..', 'static')

/** The files by name. Each is read on its first request: they have 2 MB, and few sites ever show the page. */
const files: ReadonlyMap<string, () => Promise<Served>> = new Map([
  ...Object.entries(FILES).map(
    ([name, type]) => [name, onDemand(async () => ({ type, bytes: await readFile(join(staticDir(), name)) }))] as const,
  ),
  ['swagger-initializer.js', async () => served('application/javascript; charset=utf-8', INITIALIZER)],
])

const JSON_TYPE = 'application/json; charset=utf-8'

/**
 * Serves the REST documentation as a page to browse and try at `/docs`, and the documents at `/openapi.json` (and
 * `/docs/json`, `/docs/yaml`), `/openapi-operator.json`, `/openapi-broker.json` and `/asyncapi.json`. After the first
 * request, everything comes from memory.
 */
export function serveDocs(app: FastifyInstance, documents: Documents): void {
  const schema = { hide: true } as const
  const serve = (path: string, made: () => Promise<Served>, headers: Readonly<Record<string, string>> = {}): void => {
    app.get(path, { schema }, async (_request, reply) => send(reply.headers(headers), await made()))
  }
  /** The same bytes for every request. */
  const textOf = (name: keyof Documents, type: string) => onDemand(async () => served(type, await documents[name]()))
  const openApi = textOf('openApi', JSON_TYPE)
  serve('/openapi.json', openApi)
  serve('/docs/json', openApi)
  serve('/docs/yaml', textOf('openApiYaml', 'application/yaml; charset=utf-8'))
  serve('/openapi-operator.json', textOf('openApiOperator', JSON_TYPE))
  serve('/openapi-broker.json', textOf('openApiBroker', JSON_TYPE))
  serve('/asyncapi.json', textOf('asyncApi', JSON_TYPE))

  const policy = { 'content-security-policy': POLICY }
  const page = served('text/html; charset=utf-8', PAGE)
  serve('/docs', async () => page, policy)
  serve('/docs/', async () => page, policy)
  app.get<{ Params: { '*': string } }>('/docs/static/*', { schema }, async (request, reply) => {
    const file = files.get(request.params['*'])
    return file === undefined ? answer(reply, null, NOTHING_HERE) : send(reply.headers(policy), await file())
  })
}
