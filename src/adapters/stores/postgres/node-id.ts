import { randomUUID } from 'node:crypto'
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { readOwnFile } from '../../../lib/own-file.ts'
import type { NodeIdentity } from '../../../ports/node-store.ts'

const SHAPE = /^[0-9a-f-]{36}$/
/** Characters of the place that distinguish machines of the same name. */
const TOLD_APART_BY = 4

/**
 * The node on this data directory. `id`: what the operator calls it (`node.id`), by default the name of the machine
 * with four characters of the place behind it. Each call is another process.
 */
export function nodeIdentity(dataDir: string, id: string | null): Omit<NodeIdentity, 'version'> {
  const place = placeOf(dataDir)
  const machine =
    hostname()
      .split('.')[0]!
      .replaceAll(/[^\w-]/g, '') || 'node'
  return { id: id ?? `${machine.slice(0, 50)}-${place.slice(0, TOLD_APART_BY)}`, place, process: randomUUID() }
}

/**
 * Identifies this data directory: random, made once, kept in `{dataDir}/node.id`. A copy of the directory is the same
 * node: two of them must not run.
 */
function placeOf(dataDir: string): string {
  const file = join(dataDir, 'node.id')
  const known = readOwnFile(file)?.toString('utf8').trim() ?? ''
  if (SHAPE.test(known)) return known
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const place = randomUUID()
  const draft = `${file}.${place}`
  try {
    writeFileSync(draft, `${place}\n`, { flag: 'wx', mode: 0o600, flush: true })
    renameSync(draft, file)
  } finally {
    rmSync(draft, { force: true })
  }
  return place
}
