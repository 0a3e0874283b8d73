import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import fastify from 'fastify'
import { serveConsole } from '../../../../src/adapters/inbound/http/console/routes.ts'
import { consoleFiles } from '../../../../src/adapters/platform/console/built-files.ts'
import { MANIFEST } from '../../../../src/adapters/platform/console/sources.ts'

async function served(t: TestContext, imageOrigins: readonly string[] = []) {
  const built = await mkdtemp(join(tmpdir(), 'tocsin-console-'))
  const app = fastify()
  serveConsole(app, consoleFiles(built), () => imageOrigins)
  t.after(async () => {
    await app.close()
    await rm(built, { recursive: true })
  })
  const build = async (n = 1): Promise<void> => {
    await writeFile(join(built, `page-${n}.html`), n === 1 ? '<!doctype html>' : `<!doctype html>${n}`)
    await writeFile(join(built, `main-${n}.js`), 'hello()')
    await writeFile(join(built, `face-${n}.woff2`), 'letters')
    await writeFile(join(built, 'sw.js'), `shows(${n})`)
    await writeFile(join(built, 'secret.js'), 'not listed')
    const manifest = { sources: `${n}`, page: `page-${n}.html`, assets: [`main-${n}.js`, `face-${n}.woff2`, 'sw.js'] }
    await writeFile(join(built, MANIFEST), JSON.stringify(manifest))
  }
  return { app, build, built, get: (url: string, headers = {}) => app.inject({ url, headers }) }
}

test('until the console is built its page says so and looks again, and then it is there', async (t) => {
  const { get, build } = await served(t)
  const early = await get('/console')
  assert.equal(early.statusCode, 503)
  assert.match(early.body, /npm run build:console/)
  assert.equal((await get('/console/assets/main-1.js')).statusCode, 404)
  await build()
  assert.equal((await get('/console')).statusCode, 200)
})

test('the page allows nothing inline and no other host, and is asked for each time; its files are kept', async (t) => {
  const { get, build } = await served(t)
  await build()
  for (const url of ['/console', '/console/']) {
    const { headers, body } = await get(url)
    assert.equal(body, '<!doctype html>')
    assert.equal(headers['cache-control'], 'no-cache')
    assert.equal(
      headers['content-security-policy'],
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; media-src 'self'; font-src 'self'; manifest-src 'self'; worker-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    )
  }
  const script = await get('/console/assets/main-1.js', { 'accept-encoding': 'gzip, br' })
  assert.equal(script.headers['content-encoding'], 'gzip')
  assert.equal(script.headers['content-type'], 'text/javascript; charset=utf-8')
  assert.match(String(script.headers['cache-control']), /immutable/)
  assert.equal((await get('/console/assets/main-1.js')).body, 'hello()')
  const face = await get('/console/assets/face-1.woff2', { 'accept-encoding': 'gzip, br' })
  assert.equal(face.headers['content-encoding'], undefined)
  assert.equal(face.headers['content-type'], 'font/woff2')
  assert.match(String(face.headers['cache-control']), /immutable/)
  assert.equal(face.body, 'letters')
  const worker = await get('/console/sw.js')
  assert.deepEqual([worker.body, worker.headers['cache-control']], ['shows(1)', 'no-cache'])
  assert.match(String(worker.headers['content-security-policy']), /^default-src 'none'/)
  assert.equal((await get('/console/manifest.webmanifest')).statusCode, 404, 'not in this build')
})

test('no other file is served, whatever its name', async (t) => {
  const { get, build } = await served(t)
  await build()
  for (const name of ['secret.js', 'manifest.json', '..%2fmanifest.json', '%2e%2e/%2e%2e/package.json', '__proto__']) {
    assert.equal((await get(`/console/assets/${name}`)).statusCode, 404, name)
  }
})

test('a page that is open goes on loading its files while a later build removes them', async (t) => {
  const { get, build, built } = await served(t)
  await build()
  await get('/console')
  await rm(join(built, 'main-1.js'))
  assert.equal((await get('/console/assets/main-1.js')).body, 'hello()')
})

test('a page that is opened after a later build is of that build, without a restart', async (t) => {
  const { get, build, built } = await served(t)
  const statuses = async () =>
    Promise.all([1, 2, 3].map(async (n) => (await get(`/console/assets/main-${n}.js`)).statusCode))
  await build(1)
  assert.equal((await get('/console')).body, '<!doctype html>')
  await build(2)
  await rm(join(built, 'main-1.js'))
  assert.equal((await get('/console')).body, '<!doctype html>2')
  assert.deepEqual(await statuses(), [200, 200, 404], 'a page that was opened before still loads')
  await build(3)
  await rm(join(built, 'main-3.js'))
  assert.equal((await get('/console')).body, '<!doctype html>2', 'an unfinished build changes nothing')
  await build(3)
  assert.equal((await get('/console')).body, '<!doctype html>3')
  assert.deepEqual(await statuses(), [404, 200, 200], 'no more than two builds stay in memory')
})

test('with tiles of another host the page may show pictures of that host, and still sends nothing anywhere', async (t) => {
  const { get, build } = await served(t, ['https://tiles.example.org'])
  await build()
  const policy = String((await get('/console')).headers['content-security-policy'])
  assert.match(policy, /img-src 'self' data: https:\/\/tiles\.example\.org;/)
  assert.match(policy, /default-src 'none'; script-src 'self';.* connect-src 'self';/)
})
