import { createHash } from 'node:crypto'
import type { FallbackContact } from '../account/application.ts'
import type { PlannedContact } from './incident.ts'

/**
 * The application's fallback contact as the last entry of a cascade with `place` contacts before it. Its id is derived
 * from the application's, so that it is the same contact in every incident. rules.md#fallback-contact.
 */
export const fallbackEntry = (
  appId: string,
  { name, phone }: FallbackContact,
  { language, place }: { readonly language: string; readonly place: number },
): PlannedContact => ({ contactId: idFor(appId), name, phone, email: null, language, priority: place + 1 })

/** The UUID version of these ids. No other contact's id has it. */
const VERSION = '8'
const VERSION_AT = 14

export const isFallback = ({ contactId }: Pick<PlannedContact, 'contactId'>): boolean =>
  contactId[VERSION_AT] === VERSION

/** A UUID of version 8 (RFC 9562): 122 bits of a hash. */
function idFor(appId: string): string {
  const hash = createHash('sha256').update(`fallback contact of ${appId}`).digest('hex')
  const variant = ((Number.parseInt(hash[16]!, 16) & 0x3) | 0x8).toString(16)
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `${VERSION}${hash.slice(13, 16)}`,
    `${variant}${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ].join('-')
}
