import { randomUUID } from 'node:crypto'
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readOwnFile } from '../../../lib/own-file.ts'

const SHAPE = /^[0-9a-f-]{36}$/

/**
 * The name of the service on this data directory among those that share a database: random, made once, kept in
 * `{dataDir}/node.id`. A copy of the directory is the same node: two of them must not run.
 */
export function nodeIdIn(dataDir: string): string {
  const file = join(dataDir, 'node.id')
  const known = readOwnFile(file)?.toString('utf8').trim() ?? ''
  if (SHAPE.test(known)) return known
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const id = randomUUID()
  const draft = `${file}.${id}`
  try {
    writeFileSync(draft, `${id}\n`, { flag: 'wx', mode: 0o600, flush: true })
    renameSync(draft, file)
  } finally {
    rmSync(draft, { force: true })
  }
  return id
}
