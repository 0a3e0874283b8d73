/** A file within an archive. `content` has exactly `bytes` bytes. */
export type TarMember = { readonly name: string; readonly bytes: number; readonly content: AsyncIterable<Uint8Array> }

const BLOCK = 512
const NAME_BYTES = 100
/** Eleven octal digits; a larger size is written in base 256, as GNU tar and bsdtar do. */
const MAX_OCTAL = 8 ** 11 - 1
const SIZE_AT = 124
const SIZE_BYTES = 12
const CHECKSUM_AT = 148
const TYPE_AT = 156
const PLAIN_FILE = 0x30

/** Writes members as a tar (ustar) that `tar x` can unpack: readable by their owner only, dated `at` (epoch ms). */
export async function* tarOf(members: AsyncIterable<TarMember>, at: number): AsyncGenerator<Uint8Array> {
  for await (const { name, bytes, content } of members) {
    yield header(name, bytes, at)
    let written = 0
    for await (const chunk of content) {
      written += chunk.length
      yield chunk
    }
    if (written !== bytes) throw new Error(`${name} changed while it was read: ${written} of ${bytes} bytes`)
    yield Buffer.alloc((BLOCK - (bytes % BLOCK)) % BLOCK)
  }
  yield Buffer.alloc(2 * BLOCK)
}

function header(name: string, bytes: number, at: number): Buffer {
  const block = Buffer.alloc(BLOCK)
  if (Buffer.byteLength(name) > NAME_BYTES) throw new Error(`the name ${name} is too long for an archive`)
  const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, '0')
  block.write(name)
  block.write(`${octal(0o600, 7)}\0${octal(0, 7)}\0${octal(0, 7)}\0`, NAME_BYTES)
  if (bytes <= MAX_OCTAL) block.write(`${octal(bytes, 11)} `, SIZE_AT)
  else {
    block[SIZE_AT] = 0x80
    block.writeBigUInt64BE(BigInt(bytes), SIZE_AT + SIZE_BYTES - 8)
  }
  block.write(`${octal(Math.floor(at / 1000), 11)} `, SIZE_AT + SIZE_BYTES)
  block[TYPE_AT] = PLAIN_FILE
  block.write('ustar\x0000', 257)
  block.write(`${octal(checksum(block), 6)}\0 `, CHECKSUM_AT)
  return block
}

/** The sum of the header's bytes, with its own eight counted as spaces. */
function checksum(block: Buffer): number {
  let sum = 8 * 0x20
  for (const [at, byte] of block.entries()) if (at < CHECKSUM_AT || at >= CHECKSUM_AT + 8) sum += byte
  return sum
}

/**
 * The members of an archive that `tarOf` wrote, one after the other: read the content of each before the next. Throws
 * if the archive has anything else, or ends early.
 */
export async function* membersOf(archive: AsyncIterable<Uint8Array>): AsyncGenerator<TarMember> {
  const source = new Pieces(archive)
  for (;;) {
    const block = await source.exactly(BLOCK)
    if (block.every((byte) => byte === 0)) break
    const found = read(block)
    let left = found.bytes
    async function* content(): AsyncGenerator<Uint8Array> {
      while (left > 0) {
        const piece = await source.atMost(left)
        left -= piece.length
        yield piece
      }
    }
    yield { ...found, content: content() }
    if (left > 0) throw new Error(`${found.name} was not read to its end`)
    await source.exactly((BLOCK - (found.bytes % BLOCK)) % BLOCK)
  }
  // To the end: what encrypts the archive proves only there that nothing is missing.
  await source.end()
}

function read(block: Buffer): { readonly name: string; readonly bytes: number } {
  const octal = (from: number, length: number): number => {
    const [text = ''] = block.toString('latin1', from, from + length).split(/[\0 ]/, 1)
    return /^[0-7]+$/.test(text) ? Number.parseInt(text, 8) : Number.NaN
  }
  const isLarge = block[SIZE_AT] === 0x80
  const bytes = isLarge ? Number(block.readBigUInt64BE(SIZE_AT + SIZE_BYTES - 8)) : octal(SIZE_AT, SIZE_BYTES)
  const end = block.indexOf(0)
  const name = block.toString('utf8', 0, Math.min(end, NAME_BYTES))
  const isOurs = octal(CHECKSUM_AT, 8) === checksum(block) && block[TYPE_AT] === PLAIN_FILE && name !== ''
  if (!isOurs || !Number.isSafeInteger(bytes)) throw new Error('the archive within is not one of tocsin backup')
  return { name, bytes }
}

/** A stream as pieces of the length that is needed. */
class Pieces {
  readonly #source: AsyncIterator<Uint8Array>
  #rest: Uint8Array = Buffer.alloc(0)

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  async atMost(length: number): Promise<Uint8Array> {
    while (this.#rest.length === 0) {
      const { done, value } = await this.#source.next()
      if (done === true) throw new Error('the archive within ends early')
      this.#rest = value
    }
    const piece = this.#rest.subarray(0, length)
    this.#rest = this.#rest.subarray(piece.length)
    return piece
  }

  async exactly(length: number): Promise<Buffer> {
    const whole = Buffer.alloc(length)
    for (let at = 0; at < length; ) {
      const piece = await this.atMost(length - at)
      whole.set(piece, at)
      at += piece.length
    }
    return whole
  }

  async end(): Promise<void> {
    for (;;) {
      if (this.#rest.some((byte) => byte !== 0)) throw new Error('something follows the archive within')
      const { done, value } = await this.#source.next()
      if (done === true) return
      this.#rest = value
    }
  }
}
