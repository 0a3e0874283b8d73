import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, type TestContext, test } from 'node:test'
import { openMapFiles } from '../../../../src/adapters/platform/map/map-files.ts'
import { featuresOf, MAX_OVERLAY_BYTES } from '../../../../src/adapters/platform/map/overlays.ts'
import { pmtiles } from '../../../harness/pmtiles.ts'

/** Opens map files of these contents in a data directory of their own. */
async function opened(t: TestContext, files: Readonly<Record<string, string | Buffer>>, basemap: string | null = null) {
  const dataDir = await mkdtemp(join(tmpdir(), 'tocsin-map-'))
  t.after(() => rm(dataDir, { recursive: true }))
  await mkdir(join(dataDir, 'a-directory'))
  execFileSync('mkfifo', [join(dataDir, 'a-pipe')])
  for (const [name, contents] of Object.entries(files)) await writeFile(join(dataDir, name), contents)
  const overlays = Object.keys(files).filter((name) => name.endsWith('.json'))
  const found = await openMapFiles({ dataDir, overlays, basemap })
  t.after(() => found.close())
  return { ...found, problems: found.problems.map((problem) => problem.replace(`${dataDir}/`, '')) }
}

const point = (name: string, coordinates: unknown) =>
  JSON.stringify({ type: 'Feature', properties: { name, phone: '+43 1' }, geometry: { type: 'Point', coordinates } })

suite('the overlays of the map', () => {
  test('become one collection with names and places only', async (t) => {
    const { overlays, problems } = await opened(t, {
      'a.json': `\uFEFF{"type":"FeatureCollection","features":[${point('Hut', [12, 47, 2400])},
        {"type":"Feature","properties":null,"geometry":null}]}`,
      'b.json': '{"type":"LineString","coordinates":[[12,47],[13,48]]}',
    })
    assert.deepEqual(problems, [])
    assert.deepEqual(JSON.parse(overlays ?? ''), {
      type: 'FeatureCollection',
      features: [
        { type: 'Feature', properties: { name: 'Hut' }, geometry: { type: 'Point', coordinates: [12, 47] } },
        {
          type: 'Feature',
          properties: {},
          geometry: {
            type: 'LineString',
            coordinates: [
              [12, 47],
              [13, 48],
            ],
          },
        },
      ],
    })
  })

  test('a file that cannot be used is named with the reason, and the others are there', async (t) => {
    const { overlays, problems } = await opened(t, {
      'a.json': 'huts',
      'b.json': point('Hut', [12, 47]),
      'c.json': '{"type":"Topology"}',
      'd.json': ' '.repeat(MAX_OVERLAY_BYTES),
    })
    assert.equal(JSON.parse(overlays ?? '').features.length, 1)
    assert.deepEqual(problems, [
      'map.overlays: a.json is not JSON',
      'map.overlays: c.json is not GeoJSON',
      'map.overlays: d.json is too large: all overlays together may have 2097152 bytes',
    ])
  })

  for (const [what, text, message] of [
    ['a list', '[]', 'is not GeoJSON'],
    ['latitude and longitude mixed up', point('', [47, 112]), 'must be longitude and latitude'],
    ['projected coordinates', point('', [520_000, 5_200_000]), 'must be longitude and latitude'],
    ['a place too shallow', '{"type":"LineString","coordinates":[12,47]}', 'has no coordinates'],
    ['no coordinates', '{"type":"Point"}', 'has no coordinates'],
    ['a strange geometry', '{"type":"Feature","geometry":{"type":"Circle"}}', 'its geometry must be one of'],
    [
      'a strange feature',
      '{"type":"FeatureCollection","features":[{"type":"Feature","geometry":null},7]}',
      'feature 2',
    ],
  ] as const) {
    test(`${what} is refused with a reason`, () => {
      assert.throws(
        () => featuresOf(text),
        (error: Error) => error instanceof RangeError && error.message.includes(message),
      )
    })
  }
})

suite('the basemap', () => {
  test('is read in parts, up to its end', async (t) => {
    const archive = pmtiles()
    const { basemap, problems } = await opened(t, { 'region.pmtiles': archive }, 'region.pmtiles')
    assert.deepEqual([problems, basemap?.bytes, basemap?.maxZoom], [[], archive.length, 0])
    assert.deepEqual(await basemap?.read(5, 40), archive.subarray(5, 45))
    assert.deepEqual(await basemap?.read(archive.length - 3, 40), archive.subarray(-3))
  })

  for (const [what, name, message] of [
    ['another file', 'other', 'other is not a PMTiles archive'],
    ['an empty file', 'empty', 'empty is not a PMTiles archive'],
    ['an older version', 'old', 'old is a PMTiles archive of version 2, not 3'],
    ['images', 'images', 'images holds images, not vector tiles (MVT); serve such tiles by an address (map.tileUrl)'],
    ['a directory', 'a-directory', 'a-directory is not a file'],
    ['a pipe that nobody writes to', 'a-pipe', 'a-pipe is not a file'],
    ['nothing', 'gone', 'gone does not exist'],
  ] as const) {
    test(`${what} is named with the reason`, async (t) => {
      const files = {
        other: 'x'.repeat(200),
        empty: '',
        old: pmtiles({ version: 2 }),
        images: pmtiles({ tileType: 2 }),
      }
      const { basemap, problems } = await opened(t, files, name)
      assert.equal(basemap, null)
      assert.deepEqual(problems, [`map.basemap: ${message}`])
    })
  }
})
