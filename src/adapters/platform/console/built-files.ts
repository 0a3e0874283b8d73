import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { BuiltConsole, ConsoleFile, ConsoleFiles } from '../../../ports/console-files.ts'
import { consolePlaces, readManifest } from './sources.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
}

const compress = promisify(gzip)

async function read(built: string, name: string): Promise<ConsoleFile> {
  const bytes = await readFile(join(built, name))
  const type = TYPES[extname(name)] ?? 'application/octet-stream'
  return { type, bytes, gzipped: await compress(bytes, { level: 9 }) }
}

/**
 * The console as built at the time of the first request. It stays in memory: a later build may remove the files while
 * pages that are open still load them.
 */
export function consoleFiles(built: string = consolePlaces.built): ConsoleFiles {
  let loaded: Promise<BuiltConsole | null> | null = null
  const load = async (): Promise<BuiltConsole | null> => {
    const manifest = await readManifest(built)
    if (manifest === null) return null
    const assets = manifest.assets.map(async (name) => [name, await read(built, name)] as const)
    return { page: await read(built, manifest.page), assets: new Map(await Promise.all(assets)) }
  }
  return async () => {
    loaded ??= load()
    // A build that is under way, or removes what this one has begun to read: the next request looks again.
    const found = await loaded.catch(() => null)
    if (found === null) loaded = null
    return found
  }
}
