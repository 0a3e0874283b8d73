/** A PMTiles archive (version 3) with one vector tile, which covers the world with land and half of it with water. */
export function pmtiles({ tileType = 1, version = 3 } = {}): Buffer {
  const tile = Buffer.concat([layer('earth', square(0, 4096)), layer('water', square(2048, 4096))])
  const metadata = Buffer.from('{}')
  // One entry: tile 0, once, at offset 0.
  const directory = Buffer.concat([1, 0, 1, tile.length, 1].map(varint))
  const header = Buffer.alloc(127)
  header.write('PMTiles', 'latin1')
  header[7] = version
  const parts = [directory, metadata, Buffer.alloc(0), tile]
  let offset = header.length
  for (const [n, part] of parts.entries()) {
    header.writeBigUInt64LE(BigInt(offset), 8 + 16 * n)
    header.writeBigUInt64LE(BigInt(part.length), 16 + 16 * n)
    offset += part.length
  }
  for (const at of [72, 80, 88]) header.writeBigUInt64LE(1n, at)
  // Clustered, without compression; the zooms stay 0.
  header.set([1, 1, 1, tileType], 96)
  for (const [at, degrees] of [-180, -85, 180, 85].entries()) header.writeInt32LE(degrees * 1e7, 102 + 4 * at)
  return Buffer.concat([header, ...parts])
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  let left = value
  for (; left > 127; left >>>= 7) bytes.push((left & 127) | 128)
  return Buffer.from([...bytes, left])
}

/** A field of a protocol buffer: bytes, or a number. */
const field = (number: number, value: Buffer | number): Buffer =>
  typeof value === 'number'
    ? Buffer.concat([varint(number << 3), varint(value)])
    : Buffer.concat([varint((number << 3) | 2), varint(value.length), value])

const zigzag = (value: number): number => (value << 1) ^ (value >> 31)

/** MVT geometry: move to a corner, three lines, close. */
const square = (from: number, to: number): readonly number[] => {
  const side = to - from
  return [9, zigzag(from), 0, 26, zigzag(side), 0, 0, zigzag(side), zigzag(-side), 0, 15]
}

const layer = (name: string, geometry: readonly number[]): Buffer =>
  field(
    3,
    Buffer.concat([
      field(15, 2),
      field(1, Buffer.from(name)),
      field(2, Buffer.concat([field(3, 3), field(4, Buffer.concat(geometry.map(varint)))])),
      field(5, 4096),
    ]),
  )
