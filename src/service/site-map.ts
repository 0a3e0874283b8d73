import type { MapParts } from '../adapters/inbound/http/map/site-map.ts'
import { openMapFiles } from '../adapters/platform/map/map-files.ts'
import type { Config } from '../config.ts'
import type { Log } from '../ports/log.ts'
import type { Closers } from './closers.ts'

/** The map with the operator's files. A file that cannot be used is missing from it: no alarm waits for a map. */
export async function siteMapParts(config: Config, log: Log, closers: Closers): Promise<MapParts> {
  const { tileUrl, attribution, overlays, basemap } = config.map
  const { problems, close, ...files } = await openMapFiles({ dataDir: config.dataDir, overlays, basemap })
  closers.add(close)
  for (const problem of problems) log.error({ problem }, 'a map file cannot be used; the map goes without it')
  return { ...files, tileUrl, attribution }
}
