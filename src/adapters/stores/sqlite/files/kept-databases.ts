import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'

/**
 * Databases that earlier restores set aside in the data directory, or a copy to PostgreSQL. They still contain erased
 * users. `isHere`: the service keeps its data in this directory.
 */
export const keptDatabases = (dataDir: string, isHere: boolean): readonly string[] =>
  readdirSync(dataDir)
    .filter((name) => (isHere ? /^tocsin-.+\.db(-wal)?$/ : /^tocsin.*\.db(-wal)?$/).test(name))
    .map((name) => resolve(join(dataDir, name)))
