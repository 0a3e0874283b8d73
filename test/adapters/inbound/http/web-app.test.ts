import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { inflateSync } from 'node:zlib'
import fastify from 'fastify'
import { webAppRoutes } from '../../../../src/adapters/inbound/http/web-app/routes.ts'
import { trustTexts } from '../../../../src/adapters/inbound/http/web-app/trust-texts.ts'
import { constraintsFor } from '../../../../src/adapters/platform/tls/constraints.ts'
import { issueAuthority, newKey } from '../../../../src/adapters/platform/tls/issue.ts'
import type { BuiltConsole } from '../../../../src/ports/console-files.ts'
import type { LocalCa, WebApp } from '../../../../src/ports/web-apps.ts'

const APP_ID = '0190aaaa-0000-7000-8000-000000000001'
const HUT: WebApp = {
  id: APP_ID,
  name: 'Höllentalhütte <b>&"',
  colour: '#0b57c2',
  emergencyNumber: '112',
  country: 'AT',
  smsNumber: null,
}
const file = (type: string, text: string) => ({ type, bytes: Buffer.from(text), gzipped: Buffer.from(text) })
const BUILT: BuiltConsole = {
  page: file('text/html; charset=utf-8', '<!doctype html>'),
  assets: new Map([
    ['main-1.js', file('text/javascript; charset=utf-8', 'hello()')],
    ['sw.js', file('text/javascript; charset=utf-8', 'work()')],
  ]),
}

const CA: LocalCa = { pem: '', fingerprint: 'AB:CD', names: ['sos.example.org', '10.0.0.0/8'] }

async function served(
  t: TestContext,
  { on = true, built = BUILT as BuiltConsole | null, hut = HUT, ca = null as LocalCa | null, needsHttps = false } = {},
) {
  const app = fastify()
  let asked = 0
  const apps = { isAnyOn: async () => on, find: async (id: string) => (id === APP_ID ? hut : null) }
  const files = async () => {
    asked += 1
    return built
  }
  app.register(webAppRoutes({ apps, files, localCa: () => ca, needsHttps: () => needsHttps }))
  t.after(() => app.close())
  return {
    get: (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers }),
    asked: () => asked,
  }
}

const EVERY = [
  ...['', '/', '/join', '/sw.js', '/assets/main-1.js', `/manifest.webmanifest?app=${APP_ID}`],
  ...['/icon.svg', '/icon-192.png'],
]
  .map((path) => `/app${path}`)
  .concat('/trust', '/trust/ca.crt')

test('while no application has the app, there is nothing at /app, and no file of it is read', async (t) => {
  const { get, asked } = await served(t, { on: false })
  for (const url of EVERY) assert.equal((await get(url)).statusCode, 404, url)
  assert.equal(asked(), 0)
})

test('the page allows nothing inline and no other host, and asks for its worker each time', async (t) => {
  const { get } = await served(t)
  for (const url of ['/app/', '/app/join']) {
    const { headers, body } = await get(url)
    assert.equal(body, '<!doctype html>')
    assert.equal(headers['cache-control'], 'no-cache')
    assert.equal(
      headers['content-security-policy'],
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; manifest-src 'self'; worker-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    )
    assert.equal(headers['referrer-policy'], 'no-referrer')
  }
  assert.equal((await get('/app')).headers.location, '/app/')
  assert.equal((await get('/app/sw.js')).headers['cache-control'], 'no-cache')
  assert.match(String((await get('/app/assets/main-1.js')).headers['cache-control']), /immutable/)
  for (const name of ['sw.js', '..%2fmanifest.json', '__proto__'])
    assert.equal((await get(`/app/assets/${name}`)).statusCode, 404, name)
})

test('until the app is built, the page says to come back', async (t) => {
  const { get } = await served(t, { built: null })
  const { statusCode, headers } = await get('/app/')
  assert.deepEqual([statusCode, headers['retry-after']], [503, '5'])
})

test('the manifest has the name and colour of the application, and of no other', async (t) => {
  const { get } = await served(t)
  const { headers, body } = await get(`/app/manifest.webmanifest?app=${APP_ID}`)
  assert.match(String(headers['content-type']), /^application\/manifest\+json/)
  const manifest = JSON.parse(body)
  assert.deepEqual(
    [manifest.name, manifest.theme_color, manifest.start_url, manifest.scope, manifest.display],
    [HUT.name, '#0b57c2', '/app/', '/app/', 'standalone'],
  )
  for (const url of ['', '?app=', '?app=0190aaaa-0000-7000-8000-00000000ffff', `?app=${APP_ID}&app=${APP_ID}`])
    assert.equal((await get(`/app/manifest.webmanifest${url}`)).statusCode, 404, url)
})

/** Width, colour of the corner and of the middle. */
function seen(png: Buffer): { readonly width: number; readonly corner: string; readonly middle: string } {
  const width = png.readUInt32BE(16)
  const at = (type: string) => {
    const begin = png.indexOf(type, 8, 'latin1')
    return png.subarray(begin + 4, begin + 4 + png.readUInt32BE(begin - 4))
  }
  const [palette, pixels] = [at('PLTE'), inflateSync(at('IDAT'))]
  const colourAt = (x: number, y: number): string => {
    const number = pixels[y * (width + 1) + 1 + x]!
    return palette.subarray(3 * number, 3 * number + 3).toString('hex')
  }
  return { width, corner: colourAt(0, 0), middle: colourAt(width / 2, width / 2) }
}

test('icons are drawn in the colour of the application, with ink that can be seen on it', async (t) => {
  const { get } = await served(t)
  for (const size of [180, 192, 512]) {
    const { rawPayload, headers } = await get(`/app/icon-${size}.png?app=${APP_ID}`)
    assert.equal(headers['content-type'], 'image/png')
    assert.deepEqual(seen(rawPayload), { width: size, corner: '0b57c2', middle: 'ffffff' })
  }
  assert.equal(seen((await get('/app/icon-192.png')).rawPayload).corner, 'b3131b', 'without an application')
  for (const file of ['icon-193.png', 'icon-99999.png', 'icon.gif', 'icon-192.png.js'])
    assert.equal((await get(`/app/${file}?app=${APP_ID}`)).statusCode, 404, file)
  const light = await served(t, { hut: { ...HUT, colour: '#ffee88' } })
  assert.equal(seen((await light.get(`/app/icon-192.png?app=${APP_ID}`)).rawPayload).middle, '000000')
})

test('no name and no colour can put anything else into the drawn icon', async (t) => {
  const { get } = await served(t, { hut: { ...HUT, name: '<script>', colour: '"/><script>' } })
  const { body } = await get(`/app/icon.svg?app=${APP_ID}`)
  assert.doesNotMatch(body, /script/i)
  assert.match(body, />S<\/text>/)
})

test('the local CA is offered beside its fingerprint, the names that it can sign for, and the comparison', async (t) => {
  const key = newKey()
  const pem = await issueAuthority(key, Date.now(), constraintsFor(['sos.example.org']))
  const { get } = await served(t, { ca: { ...CA, pem } })
  const { headers, body } = await get('/trust', { 'accept-language': 'de-AT,en;q=0.5' })
  assert.match(String(headers['content-security-policy']), /^default-src 'none'/)
  assert.equal(headers['cache-control'], 'no-store')
  for (const part of ['lang="de"', 'AB:CD', 'sos.example.org, 10.0.0.0/8', 'href="/trust/ca.crt"', 'Vergleiche zuerst'])
    assert.ok(body.includes(part), part)
  assert.ok(body.indexOf('Vergleiche zuerst') < body.indexOf('/trust/ca.crt'), 'the comparison stands first')
  const file = await get('/trust/ca.crt')
  assert.equal(file.headers['content-type'], 'application/x-x509-ca-cert')
  assert.equal(new X509Certificate(file.rawPayload).fingerprint256, new X509Certificate(pem).fingerprint256)
})

test('where phones open the site over plain http, it says that the app needs https', async (t) => {
  const { get } = await served(t, { ca: CA, needsHttps: true })
  const { body } = await get('/trust')
  assert.match(body, /The app needs https/)
  assert.doesNotMatch(body, /ca\.crt/)
})

test('where phones trust the site anyway, there is nothing to install', async (t) => {
  const { get } = await served(t)
  assert.match((await get('/trust')).body, /There is nothing to do/)
  assert.equal((await get('/trust/ca.crt')).statusCode, 404)
})

test('the page has the same parts in every language', () => {
  const shape = (language: string) => {
    const { systems, ...lines } = trustTexts([language])
    for (const line of Object.values(lines)) assert.ok(line.length > 1)
    return systems.map(([system, steps]) => [system, steps.length])
  }
  for (const language of ['de', 'fr', 'it', 'es']) {
    assert.equal(trustTexts([language]).language, language)
    assert.deepEqual(shape(language), shape('en'))
  }
})
