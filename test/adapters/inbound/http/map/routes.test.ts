import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { archiveOf, siteMap } from '../../../../../src/adapters/inbound/http/map/site-map.ts'
import { ask, PAGE, sharedHttp, startHttp, TOKEN } from '../stand-in.ts'

const ARCHIVE = Buffer.alloc(3 * 1024 * 1024, 'tiles')
const basemap = {
  version: '0123456789abcdef',
  bytes: ARCHIVE.length,
  maxZoom: 14,
  read: async (from: number, length: number) => ARCHIVE.subarray(from, from + length),
}
const MAP = {
  overlays: '{"type":"FeatureCollection","features":[]}',
  basemap,
  tileUrl: null,
  attribution: 'Huts: <Alpine Club>',
}
const MIB = 1024 * 1024

suite('the files of the map', () => {
  const site = sharedHttp({ map: MAP })
  const map = () => siteMap({ map: MAP, log: { error: assert.fail } })!

  test('are compressed, kept for ever under names of their contents, and named by the page', async () => {
    const { sources } = map()
    const { script, leaflet, style, outline, overlays } = sources
    for (const [path, type] of [
      [script, 'text/javascript; charset=utf-8'],
      [leaflet, 'text/javascript; charset=utf-8'],
      [style, 'text/css; charset=utf-8'],
      [outline, 'application/json; charset=utf-8'],
      [overlays ?? '', 'application/json; charset=utf-8'],
      [sources.basemap?.script ?? '', 'text/javascript; charset=utf-8'],
    ] as const) {
      const { status, headers } = await ask(site(), 'GET', path)
      assert.equal(status, 200, path)
      assert.equal(headers.get('content-type'), type)
      assert.equal(headers.get('content-encoding'), 'gzip')
      assert.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable')
      assert.equal(headers.get('x-content-type-options'), 'nosniff')
    }
    const { text } = await ask(site(), 'GET', `/t/${TOKEN}`)
    const named = /data-sources="([^"]*)"/.exec(text)?.[1]?.replaceAll('&quot;', '"')
    assert.deepEqual(JSON.parse(named?.replaceAll('&lt;', '<').replaceAll('&gt;', '>') ?? ''), sources)
    assert.match((await ask(site(), 'GET', style)).text, /\.site-map/)
    const { land, borders, unitsPerDegree } = (await ask(site(), 'GET', outline)).json
    assert.ok(land.length > 100 && borders.length > 100 && unitsPerDegree === 100)
  })

  test('weigh 200 KB at most, besides the archive', async () => {
    const { sources, assets } = map()
    const { script, leaflet, style, outline } = sources
    const sizes = [script, leaflet, style, outline].map(async (path) => {
      const bytes = await assets.get(path.slice('/map/'.length))?.gzipped()
      return bytes?.length ?? Number.NaN
    })
    const all = (await Promise.all(sizes)).reduce((sum, size) => sum + size)
    assert.ok(all < 200 * 1024, `${all} bytes`)
  })

  for (const path of ['/map/', '/map/map.js', '/map/..%2f..%2fpackage.json', '/map/constructor', '/map/x/y']) {
    test(`${path} is none of them`, async () => {
      assert.equal((await ask(site(), 'GET', path)).status, 404)
    })
  }

  const part = (range: string | undefined) =>
    ask(site(), 'GET', archiveOf(basemap), range === undefined ? {} : { headers: { range } })

  test('a part of the archive', async () => {
    const { status, headers, text } = await part('bytes=5-14')
    assert.equal(status, 206)
    assert.equal(text, 'tilestiles')
    assert.equal(headers.get('content-range'), `bytes 5-14/${ARCHIVE.length}`)
    assert.equal(headers.get('etag'), '"0123456789abcdef"')
    const last = await part(`bytes=${ARCHIVE.length - 2}-${ARCHIVE.length + 100}`)
    assert.deepEqual([last.status, last.text.length], [206, 2])
    assert.equal((await part(`bytes=0-${MIB - 1}`)).text.length, MIB)
  })

  for (const range of [
    undefined,
    'bytes=0-',
    'bytes=-5',
    'bytes=5-4',
    'bytes=0-1,3-4',
    `bytes=0-${MIB}`,
    `bytes=${ARCHIVE.length}-${ARCHIVE.length + 1}`,
    'bytes=99999999999999999999-99999999999999999999',
    'tiles=0-5',
  ]) {
    test(`never all of it, and nothing else: ${range}`, async () => {
      const { status, headers, text } = await part(range)
      assert.deepEqual([status, text], [416, ''])
      assert.equal(headers.get('content-range'), `bytes */${ARCHIVE.length}`)
    })
  }
})

test('a few read the archive at once; the next one is told to come back, and then gets its part', async (t) => {
  const held = Promise.withResolvers<void>()
  let reading = 0
  const slow = {
    ...basemap,
    async read(from: number, length: number) {
      reading += 1
      await held.promise
      return ARCHIVE.subarray(from, from + length)
    },
  }
  const site = await startHttp(t, { map: { ...MAP, basemap: slow } })
  const part = () => ask(site, 'GET', archiveOf(slow), { headers: { range: 'bytes=0-9' } })
  const first = Array.from({ length: 9 }, part)
  const refused = await Promise.race(first)
  assert.equal(refused.status, 429)
  assert.equal(refused.headers.get('retry-after'), '1')
  assert.equal(reading, 8)
  held.resolve()
  const statuses = (await Promise.all(first)).map(({ status }) => status)
  assert.deepEqual(statuses.toSorted(), [...Array(8).fill(206), 429])
  assert.equal((await part()).status, 206)
})

test('a site whose map cannot be read has its pages without one, and says so once', async (t) => {
  const broken = {
    ...MAP,
    get tileUrl(): string {
      throw new Error('unreadable')
    },
  }
  const site = await startHttp(t, { map: broken })
  for (let n = 0; n < 2; n++) {
    const { status, text, headers } = await ask(site, 'GET', `/t/${TOKEN}`)
    assert.equal(status, 200)
    assert.ok(text.includes(PAGE.who) && !text.includes('id="map"'))
    assert.match(headers.get('content-security-policy') ?? '', /img-src 'none'/)
  }
  assert.equal((await ask(site, 'GET', archiveOf(basemap))).status, 404)
  assert.equal(site.lines.filter(({ message }) => /files of the map/.test(message)).length, 1)
})
