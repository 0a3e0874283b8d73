import { readdir } from 'node:fs/promises'

const MAX_LISTED = 50

/** The PMTiles archives in the data directory, by their names. Empty if it cannot be read. */
export const archivesIn = (dataDir: string): Promise<readonly string[]> => filesIn(dataDir, /^\w[\w.-]*\.pmtiles$/)

/** The GeoJSON files, in the same way. */
export const overlaysIn = (dataDir: string): Promise<readonly string[]> => filesIn(dataDir, /^\w[\w.-]*\.geojson$/)

async function filesIn(dataDir: string, named: RegExp): Promise<readonly string[]> {
  const entries = await readdir(dataDir, { withFileTypes: true }).catch(() => [])
  return entries
    .filter((entry) => entry.isFile() && named.test(entry.name))
    .map(({ name }) => name)
    .sort()
    .slice(0, MAX_LISTED)
}
