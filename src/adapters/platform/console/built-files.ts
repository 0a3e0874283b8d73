import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { joinedCalls } from '../../../lib/shared-reads.ts'
import type { BuiltConsole, ConsoleFile, ConsoleFiles } from '../../../ports/console-files.ts'
import { consoleBundle, readManifest } from './sources.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
}

const compress = promisify(gzip)

async function read(built: string, name: string): Promise<ConsoleFile> {
  const bytes = await readFile(join(built, name))
  const type = TYPES[extname(name)] ?? 'application/octet-stream'
  return { type, bytes, gzipped: extname(name) === '.woff2' ? null : await compress(bytes, { level: 9 }) }
}

type Loaded = { readonly sources: string; readonly own: Files; readonly console: BuiltConsole }
type Files = BuiltConsole['assets']

/**
 * The last build of the console, or of another bundle. A start after an upgrade rebuilds it while the previous one is
 * served: the next page that is opened is the new one. Files stay in memory, including those of the previous build: a
 * later build may remove them while open pages still load them.
 */
export function consoleFiles(built: string = consoleBundle.built): ConsoleFiles {
  let known: Loaded | null = null
  const look = async (): Promise<void> => {
    const manifest = await readManifest(built)
    if (manifest === null || manifest.sources === known?.sources) return
    const assets = manifest.assets.map(async (name) => [name, await read(built, name)] as const)
    const [page, ...files] = await Promise.all([read(built, manifest.page), ...assets])
    const own: Files = new Map(files)
    known = { sources: manifest.sources, own, console: { page, assets: new Map([...(known?.own ?? []), ...own]) } }
  }
  const looked = joinedCalls(look)
  return async () => {
    // A build is under way, or removes files that this one has begun to read: the next request checks again.
    await looked().catch(() => {})
    return known?.console ?? null
  }
}
