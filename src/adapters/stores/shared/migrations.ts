import { readdirSync } from 'node:fs'
import { besideCode } from '../../../lib/installation.ts'

const FILE_NAME = /^(\d{4})-[a-z0-9-]+\.sql$/

type Migration = { readonly number: number; readonly file: string }

/** Where the migrations of an engine are. */
export const migrationsOf = (engine: 'sqlite' | 'postgres'): URL => besideCode(`adapters/stores/${engine}/migrations/`)

/** The migrations in a directory, the first one first. Their names begin with their numbers. */
export const migrationsIn = (directory: URL): readonly Migration[] =>
  readdirSync(directory)
    .sort()
    .map((file) => ({ file, number: Number(FILE_NAME.exec(file)?.[1]) }))

/** The number of the last one; 0 if there is none. */
export const newestOf = (known: readonly Migration[]): number => known.at(-1)?.number ?? 0

/** The newest schema that this version knows. */
export const newestSchema = (engine: 'sqlite' | 'postgres'): number => newestOf(migrationsIn(migrationsOf(engine)))
