import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { brotliDecompressSync, gzip } from 'node:zlib'
import { besideCode, fileOf } from '../../../../lib/installation.ts'

/** A file of the map as browsers get it. */
export type Asset = { readonly type: string; readonly gzipped: () => Promise<Buffer> }

const compress = promisify(gzip)

const SCRIPT = 'text/javascript; charset=utf-8'
const STYLE = 'text/css; charset=utf-8'
const JSON_TYPE = 'application/json; charset=utf-8'

const own = (name: string): string => readFileSync(besideCode(`adapters/inbound/http/map/browser/${name}`), 'utf8')
const library = (name: string, path: string): string =>
  readFileSync(new URL(path, import.meta.resolve(`${name}/package.json`)), 'utf8')
const outline = (): string => brotliDecompressSync(readFileSync(fileOf('config/world-outline.br'))).toString()

/** Browsers should not ask for a library's source maps. */
const withoutSourceMap = (script: string): string => script.replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n')

/**
 * The files of the map in memory, each under a name that changes with its contents, so that browsers keep them for
 * ever. They are compressed at the first request.
 */
export class MapAssets {
  readonly #byName = new Map<string, Asset>()

  /** Its address. */
  add(name: string, extension: 'js' | 'css' | 'json', text: string): string {
    const hash = createHash('sha256').update(text).digest('base64url').slice(0, 16)
    const file = `${name}-${hash}.${extension}`
    let gzipped: Promise<Buffer> | null = null
    this.#byName.set(file, {
      type: { js: SCRIPT, css: STYLE, json: JSON_TYPE }[extension],
      gzipped() {
        gzipped ??= compress(text, { level: 9 })
        return gzipped
      },
    })
    return `/map/${file}`
  }

  get(file: string): Asset | undefined {
    return this.#byName.get(file)
  }
}

/** The addresses of what the map always consists of. */
export const baseAssets = (assets: MapAssets) => ({
  script: assets.add('map', 'js', own('map.js')),
  leaflet: assets.add('leaflet', 'js', withoutSourceMap(library('leaflet', 'dist/leaflet.js'))),
  style: assets.add('map', 'css', library('leaflet', 'dist/leaflet.css') + own('map.css')),
  outline: assets.add('outline', 'json', outline()),
})

/** The script that draws the tiles of a PMTiles archive. */
export const basemapScript = (assets: MapAssets): string =>
  assets.add('basemap', 'js', withoutSourceMap(library('protomaps-leaflet', 'dist/protomaps-leaflet.js')))
