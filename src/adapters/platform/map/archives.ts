import { readdir } from 'node:fs/promises'

const MAX_LISTED = 50

/** The PMTiles archives in the data directory, by their names. Empty if it cannot be read. */
export async function archivesIn(dataDir: string): Promise<readonly string[]> {
  const entries = await readdir(dataDir, { withFileTypes: true }).catch(() => [])
  const names = entries.filter((entry) => entry.isFile() && /^\w[\w.-]*\.pmtiles$/.test(entry.name))
  return names
    .map(({ name }) => name)
    .sort()
    .slice(0, MAX_LISTED)
}
