import { archivesIn, overlaysIn } from '../adapters/platform/map/archives.ts'
import { openMapFiles } from '../adapters/platform/map/map-files.ts'
import type { Config } from '../config.ts'
import type { FieldProblem } from '../core/ingest/fields.ts'
import type { SettingValues } from '../ports/console-setup.ts'

const BASEMAP = 'map.basemap'
const OVERLAYS = 'map.overlays'
const MAX_OVERLAYS = 20
const NO_ARCHIVE = 'must be a PMTiles file in the data directory of this node'
const NO_OVERLAY = 'must be GeoJSON files (.geojson) in the data directory of this node'

type Files = Pick<Config, 'dataDir'>

/** Only the file may lead the service to files elsewhere. */
export async function noArchive(values: SettingValues, { dataDir }: Files): Promise<readonly FieldProblem[]> {
  const name = values[BASEMAP]
  if (name === undefined || name === null) return []
  if (!(await archivesIn(dataDir)).includes(String(name))) return [{ field: BASEMAP, message: NO_ARCHIVE }]
  const problems = await problemsWith({ dataDir, overlays: [], basemap: String(name) })
  return problems.length === 0
    ? []
    : [{ field: BASEMAP, message: 'must be a PMTiles archive of version 3 with vector tiles' }]
}

/** A value of another shape, or with more names than the schema takes, gets its problem there. */
export async function noOverlays(values: SettingValues, { dataDir }: Files): Promise<readonly FieldProblem[]> {
  const names = values[OVERLAYS]
  if (!Array.isArray(names) || names.length > MAX_OVERLAYS) return []
  const known = await overlaysIn(dataDir)
  if (!names.every((name) => known.includes(name))) return [{ field: OVERLAYS, message: NO_OVERLAY }]
  const [first] = await problemsWith({ dataDir, overlays: names, basemap: null })
  return first === undefined ? [] : [{ field: OVERLAYS, message: first.replace(/^map\.overlays: /, '') }]
}

async function problemsWith(files: Parameters<typeof openMapFiles>[0]): Promise<readonly string[]> {
  const { problems, close } = await openMapFiles(files)
  await close()
  return problems
}
