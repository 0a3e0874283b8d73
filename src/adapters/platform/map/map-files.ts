import { readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { MapFiles } from '../../../ports/map-files.ts'
import { openBasemap } from './basemap.ts'
import { featuresOf, MAX_OVERLAY_BYTES } from './overlays.ts'

export type OpenMapFiles = MapFiles & {
  /** Unusable files, one sentence each. The map is shown without them: an alarm does not depend on a map. */
  readonly problems: readonly string[]
  close(): Promise<void>
}

type Named = { readonly dataDir: string; readonly overlays: readonly string[]; readonly basemap: string | null }

/** Reads and checks the operator's map files; relative paths are below the data directory. Never rejects. */
export async function openMapFiles({ dataDir, overlays, basemap }: Named): Promise<OpenMapFiles> {
  const problems: string[] = []
  const tried = async <T>(key: string, named: string, use: (path: string) => Promise<T>): Promise<T | null> => {
    const path = resolve(dataDir, named)
    try {
      return await use(path)
    } catch (error) {
      problems.push(`${key}: ${path} ${whyNot(error)}`)
      return null
    }
  }
  let left = MAX_OVERLAY_BYTES
  const features: unknown[] = []
  for (const named of overlays) {
    const found = await tried('map.overlays', named, async (path) => {
      const file = await stat(path)
      if (!file.isFile()) throw new RangeError('is not a file')
      if (file.size > left)
        throw new RangeError(`is too large: all overlays together may have ${MAX_OVERLAY_BYTES} bytes`)
      const text = await readFile(path, 'utf8')
      const read = featuresOf(text)
      left -= file.size
      return read
    })
    features.push(...(found ?? []))
  }
  const archive = basemap === null ? null : await tried('map.basemap', basemap, openBasemap)
  return {
    overlays: features.length === 0 ? null : JSON.stringify({ type: 'FeatureCollection', features }),
    basemap: archive,
    problems,
    close: async () => archive?.close(),
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EACCES: 'may not be read by this user',
  EISDIR: 'is a directory',
}

function whyNot(error: unknown): string {
  if (error instanceof RangeError) return error.message
  const { code = '' } = error as NodeJS.ErrnoException
  return reasons[code] ?? `could not be read (${code || 'unknown error'})`
}
