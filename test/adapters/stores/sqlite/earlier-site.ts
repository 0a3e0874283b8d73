import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'

const MIGRATIONS = new URL('../../../../src/adapters/stores/sqlite/migrations/', import.meta.url)
const ROWS = new URL('./earlier/', import.meta.url)

const files = readdirSync(MIGRATIONS).sort()

/** Every schema version, the current one last. */
export const schemaVersions: readonly number[] = files.map((file) => Number(file.slice(0, 4)))

/**
 * Makes `tocsin.db` in `dataDir` as a service with migration `version` as its newest left it. Each schema's own rows
 * (`earlier/NNNN.sql`, if it has any) exist before the next schema is applied.
 */
export function makeEarlierSite(dataDir: string, version: number): void {
  const db = new Database(join(dataDir, 'tocsin.db'))
  db.pragma('journal_mode = WAL')
  for (const [index, file] of files.entries()) {
    if (schemaVersions[index]! > version) break
    db.exec(readFileSync(new URL(file, MIGRATIONS), 'utf8'))
    const rows = new URL(`${file.slice(0, 4)}.sql`, ROWS)
    if (existsSync(rows)) db.exec(readFileSync(rows, 'utf8'))
    db.pragma(`user_version = ${schemaVersions[index]}`)
  }
  db.close()
}

const id = (short: string): string => `01900000-0000-7000-8000-0000000000${short}`

/** Its contents. `openedAt`: when Mia pressed, epoch ms. */
export const earlierSite = {
  appId: id('a0'),
  mia: id('b1'),
  tom: id('b2'),
  ana: id('c1'),
  open: id('d1'),
  closed: id('d2'),
  anasToken: '4Zt2TmXiFNmQk6HMg0C6ES',
  openedAt: Date.parse('2026-03-01T12:01:00Z'),
} as const
