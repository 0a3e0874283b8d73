import { readdirSync, readFileSync } from 'node:fs'
import { besideCode, isBuilt } from '../../../lib/installation.ts'

type Engine = 'sqlite' | 'postgres'

const FILE_NAME = /^(\d{4})-[a-z0-9-]+\.sql$/

/** Its file's name begins with its number. */
export type Migration = { readonly number: number; readonly file: string; readonly sql: () => string }

const migration = (file: string, sql: () => string): Migration => ({
  number: Number(FILE_NAME.exec(file)?.[1]),
  file,
  sql,
})

/** The migrations in a directory, the first one first. */
export const migrationsIn = (directory: URL): readonly Migration[] =>
  readdirSync(directory)
    .sort()
    .map((file) => migration(file, () => readFileSync(new URL(file, directory), 'utf8')))

/** The migrations of an engine, the first one first. A build has them in one file, their texts by their names. */
export function migrationsOf(engine: Engine): readonly Migration[] {
  if (!isBuilt) return migrationsIn(besideCode(`adapters/stores/${engine}/migrations/`))
  const all: Record<Engine, Record<string, string>> = JSON.parse(readFileSync(besideCode('migrations.json'), 'utf8'))
  return Object.entries(all[engine]).map(([file, sql]) => migration(file, () => sql))
}

/** The number of the last one; 0 if there is none. */
export const newestOf = (known: readonly Migration[]): number => known.at(-1)?.number ?? 0

/** The newest schema that this version knows. */
export const newestSchema = (engine: Engine): number => newestOf(migrationsOf(engine))
