import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { createInterface } from 'node:readline'

/**
 * Reads text, such as `journalctl -u tocsin`, and writes it with the places of a release's code replaced by those of
 * its source: `file:///usr/lib/tocsin/js/lib/service-3K5DHYKR.js:1:52311` becomes `src/service.ts:123:4`. It lies beside
 * the maps. A place of another version stays as it is: its file has another name.
 */

const PLACE = /(?:file:\/\/)?[^\s"'()]*\/js\/((?:lib\/)?[\w-]+\.js):(\d+):(\d+)/g
const ABOVE = /^(?:\.\.\/)+/

const maps = new Map<string, SourceMap | null>()
function mapOf(file: string): SourceMap | null {
  const known = maps.get(file)
  if (known !== undefined) return known
  let map: SourceMap | null = null
  try {
    map = new SourceMap(JSON.parse(readFileSync(new URL(`${file}.map`, import.meta.url), 'utf8')))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  maps.set(file, map)
  return map
}

for await (const line of createInterface({ input: process.stdin })) {
  const traced = line.replace(PLACE, (place: string, file: string, row: string, column: string) => {
    const origin = mapOf(file)?.findOrigin(Number(row), Number(column))
    if (origin === undefined || !('fileName' in origin)) return place
    return `${origin.fileName.replace(ABOVE, '')}:${origin.lineNumber}:${origin.columnNumber}`
  })
  process.stdout.write(`${traced}\n`)
}
