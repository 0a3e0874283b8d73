import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import type { Basemap } from '../../../ports/map-files.ts'

/** PMTiles, version 3: https://github.com/protomaps/PMTiles/blob/main/spec/v3/spec.md */
const HEADER_BYTES = 127
const MAGIC = 'PMTiles'
const VERSION = 3
const [VERSION_AT, TILE_TYPE_AT, MAX_ZOOM_AT] = [7, 99, 101]
const VECTOR_TILES = 1

export type OpenBasemap = Basemap & { close(): Promise<void> }

/**
 * Opens a PMTiles archive of vector tiles. It stays open: a replaced file is used from the next start on, so that no
 * page mixes parts of both. Rejects with a RangeError that words the problem, or with an error of the system.
 */
export async function openBasemap(path: string): Promise<OpenBasemap> {
  // A file that waits for a writer, such as a pipe, must not hold up the start.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const found = await file.stat()
    const { size, mtimeMs, ino } = found
    if (!found.isFile()) throw new RangeError('is not a file')
    const header = await readFully(file, 0, Math.min(HEADER_BYTES, size))
    const isArchive = header.length === HEADER_BYTES && header.toString('latin1', 0, MAGIC.length) === MAGIC
    if (!isArchive) throw new RangeError('is not a PMTiles archive')
    if (header[VERSION_AT] !== VERSION)
      throw new RangeError(`is a PMTiles archive of version ${header[VERSION_AT]}, not 3`)
    if (header[TILE_TYPE_AT] !== VECTOR_TILES) {
      throw new RangeError('holds images, not vector tiles (MVT); serve such tiles by an address (map.tileUrl)')
    }
    const version = createHash('sha256').update(`${size} ${mtimeMs} ${ino}`).update(header).digest('hex').slice(0, 16)
    return {
      version,
      bytes: size,
      maxZoom: header[MAX_ZOOM_AT] ?? 0,
      read: (from, length) => readFully(file, from, Math.min(length, size - from)),
      close: () => file.close(),
    }
  } catch (error) {
    await file.close()
    throw error
  }
}

async function readFully(file: FileHandle, from: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length)
  let read = 0
  while (read < length) {
    const { bytesRead } = await file.read(bytes, read, length - read, from + read)
    if (bytesRead === 0) throw new Error('the map file has become shorter')
    read += bytesRead
  }
  return bytes
}
