import { createHmac, timingSafeEqual } from 'node:crypto'
import type { ApplicationSecret } from './application.ts'

const HASH_BYTES = 32
const HASH_TEXT = /^[0-9a-f]{64}$/i

const hmac = (secret: string, externalUserId: string): Buffer =>
  createHmac('sha256', Buffer.from(secret, 'utf8')).update(externalUserId, 'utf8').digest()

/**
 * The user hash of an external id: lower-case hex HMAC-SHA256, keyed with the UTF-8 bytes of the application secret
 * exactly as shown. access.md#login.
 */
export const userHash = (secret: string, externalUserId: string): string => hmac(secret, externalUserId).toString('hex')

/**
 * The secret under which `hash` (hex, either case) is the user hash of `externalUserId`, or null. Constant work: it
 * accepts a hash of any length and form, tries every secret even after a match, and compares in constant time.
 * access.md#login.
 */
export function matchingSecret<S extends Pick<ApplicationSecret, 'secret'>>(
  secrets: readonly S[],
  externalUserId: string,
  hash: string,
): S | null {
  const wellFormed = HASH_TEXT.test(hash)
  const given = wellFormed ? Buffer.from(hash, 'hex') : Buffer.alloc(HASH_BYTES)
  let matching: S | null = null
  for (const candidate of secrets) {
    const equal = timingSafeEqual(hmac(candidate.secret, externalUserId), given)
    if (equal && wellFormed) matching ??= candidate
  }
  return matching
}
