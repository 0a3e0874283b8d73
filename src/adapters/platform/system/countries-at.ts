import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'
import { fileOf } from '../../../lib/installation.ts'

/**
 * The countries in each cell of an eighth of a degree, with their coastal waters: a line of JSON with the sets of
 * countries (`"AT IT"`, the larger part first), then the runs of cells from the south-west, each the number of a set
 * and a length. Source: config/country-grid.txt.
 */
const FILE = fileOf('config/country-grid.br')
const CELLS_PER_DEGREE = 8
/** About five and twenty kilometres. */
const NEAR_DEGREES = 0.045
const WIDE_DEGREES = 0.18
const WIDTH = 360 * CELLS_PER_DEGREE
const HEIGHT = 180 * CELLS_PER_DEGREE
const LINE_FEED = 10

type Grid = {
  readonly sets: readonly (readonly string[])[]
  /** The first cell of each run, ascending, and the number of its set. */
  readonly starts: Uint32Array
  readonly setOf: Uint16Array
}

let reading: Promise<Grid> | null = null
const decompressed = promisify(brotliDecompress)

/**
 * The countries (ISO 3166-1 alpha-2) within a few kilometres of a position, the most likely first; `isWide`: within
 * some twenty kilometres. Empty on the high seas. The first look-up reads the grid; rejects if its file is unreadable.
 */
export async function countriesAt(
  { latitude, longitude }: { readonly latitude: number; readonly longitude: number },
  isWide: boolean,
): Promise<readonly string[]> {
  reading ??= read().catch((error) => {
    reading = null
    throw error
  })
  const grid = await reading
  const reach = isWide ? WIDE_DEGREES : NEAR_DEGREES
  // A degree of longitude is shorter than one of latitude; the factor is bounded near the poles.
  const across = reach / Math.max(0.1, Math.cos((latitude * Math.PI) / 180))
  const steps = [0, -1, 1]
  const found = steps.flatMap((down) =>
    steps.flatMap((right) => setAt(grid, latitude + down * reach, longitude + right * across)),
  )
  return [...new Set(found)]
}

function setAt({ sets, starts, setOf }: Grid, latitude: number, longitude: number): readonly string[] {
  const y = Math.min(HEIGHT - 1, Math.max(0, Math.floor((latitude + 90) * CELLS_PER_DEGREE)))
  const x = Math.floor((longitude + 180) * CELLS_PER_DEGREE)
  const cell = y * WIDTH + ((x + WIDTH) % WIDTH)
  let [low, high] = [0, starts.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (starts[middle]! <= cell) low = middle
    else high = middle - 1
  }
  return sets[setOf[low]!]!
}

async function read(): Promise<Grid> {
  const bytes = await decompressed(await readFile(FILE))
  const end = bytes.indexOf(LINE_FEED)
  const sets = (JSON.parse(bytes.toString('utf8', 0, end)) as string[]).map((set) => set.split(' ').filter(Boolean))
  const starts: number[] = []
  const setOf: number[] = []
  let [at, cell] = [end + 1, 0]
  const next = (): number => {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++]!
      value |= (byte & 127) << shift
      if (byte < 128) return value
    }
  }
  while (at < bytes.length) {
    starts.push(cell)
    setOf.push(next())
    cell += next()
  }
  return { sets, starts: Uint32Array.from(starts), setOf: Uint16Array.from(setOf) }
}
