import type { Log } from '../../../../ports/log.ts'
import type { Basemap, MapFiles } from '../../../../ports/map-files.ts'
import { baseAssets, basemapScript, MapAssets } from './assets.ts'

/** The operator's map settings. */
type MapSettings = MapFiles & {
  /** With `{z}`, `{x}` and `{y}`; the browser gets these images from there. */
  readonly tileUrl: string | null
  /** Attribution of the map data, as plain text. */
  readonly attribution: string | null
}

/** The argument of `mount` of browser/map.js, as JSON: addresses on this host, except the tiles. */
export type MapSources = {
  readonly script: string
  readonly leaflet: string
  readonly style: string
  readonly outline: string
  readonly overlays: string | null
  readonly basemap: { readonly script: string; readonly archive: string; readonly maxZoom: number } | null
  readonly tiles: string | null
  readonly attribution: string | null
}

export type SiteMap = {
  readonly sources: MapSources
  readonly assets: MapAssets
  readonly files: MapFiles
  /** For content security policies: where images of the map come from, besides this host. */
  readonly imageOrigins: readonly string[]
}

const NOTHING_ADDED: MapSettings = { overlays: null, basemap: null, tileUrl: null, attribution: null }

/** Its address, which changes with the file. */
export const archiveOf = ({ version }: Basemap): string => `/map/basemap-${version}.pmtiles`

/** The attribution of the map. */
export type MapOwner = { readonly map?: MapSettings; readonly log: Pick<Log, 'error'> }

type Made = Pick<MapSettings, 'tileUrl' | 'attribution' | 'basemap' | 'overlays'> & { readonly site: SiteMap | null }
const made = new WeakMap<MapSettings, Made>()

/**
 * Everything that a map needs on this site. Made at the first request: few starts ever show a map. Null if its files
 * cannot be read: pages go without it.
 */
export function siteMap({ map = NOTHING_ADDED, log }: MapOwner): SiteMap | null {
  const known = made.get(map)
  try {
    const { tileUrl, attribution, basemap, overlays } = map
    // An operator may have changed them.
    const isSame = known?.tileUrl === tileUrl && known.attribution === attribution
    if (isSame && known.basemap === basemap && known.overlays === overlays) return known.site
    const site = siteMapOf(map)
    made.set(map, { tileUrl, attribution, basemap, overlays, site })
    return site
  } catch (error) {
    if (known?.site !== null) {
      log.error({ error: String(error) }, 'the files of the map could not be read; pages go without a map')
    }
    made.set(map, { ...NOTHING_ADDED, site: null })
    return null
  }
}

function siteMapOf({ tileUrl, attribution, ...files }: MapSettings): SiteMap {
  const { overlays, basemap } = files
  const assets = new MapAssets()
  return {
    sources: {
      ...baseAssets(assets),
      overlays: overlays && assets.add('overlays', 'json', overlays),
      basemap: basemap && { script: basemapScript(assets), archive: archiveOf(basemap), maxZoom: basemap.maxZoom },
      tiles: tileUrl,
      attribution,
    },
    assets,
    files,
    imageOrigins: tileUrl === null ? [] : [new URL(tileUrl).origin],
  }
}
