import * as crypto from 'node:crypto'
import type { Ids } from '../../../ports/ids.ts'

const SECRET_BYTES = 32

/** UUID version 7 from the time in epoch milliseconds and 10 random bytes (RFC 9562, section 5.7). */
export function uuidV7(ms: number, random: Uint8Array): string {
  const bytes = Buffer.alloc(16)
  bytes.writeUIntBE(ms, 0, 6)
  bytes.set(random.subarray(0, 10), 6)
  bytes[6] = 0x70 | (bytes[6]! & 0x0f)
  bytes[8] = 0x80 | (bytes[8]! & 0x3f)
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

/** Built into Node from 24.16 on; the service supports every Node 24. */
const builtIn: (() => string) | undefined = crypto.randomUUIDv7

/** All randomness, from the system's cryptographic source. */
export const createIds = (): Ids => ({
  uuid: builtIn === undefined ? () => uuidV7(Date.now(), crypto.randomBytes(10)) : () => builtIn(),
  secret: () => crypto.randomBytes(SECRET_BYTES).toString('base64url'),
  jitter: Math.random,
})
