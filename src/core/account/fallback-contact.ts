import { createHash } from 'node:crypto'

/** The UUID version of the ids of the site's own contacts; no other contact's id has it. */
const VERSION = '8'
const VERSION_AT = 14

/** Whether this is a contact of the site: a fallback contact or somebody on call, by the version of its id. */
export const isFallback = ({ contactId }: { readonly contactId: string }): boolean => contactId[VERSION_AT] === VERSION

/**
 * The id of an application's fallback contact, the same in every incident: a UUID of version 8 (RFC 9562), with 122
 * bits of a hash. rules.md#fallback-contact.
 */
export const fallbackContactId = (appId: string): string =>
  siteContactId(createHash('sha256').update(`fallback contact of ${appId}`).digest('hex'))

/** The id of somebody on call as a contact, the same in every incident. rules.md#on-call. */
export const onCallContactId = (personId: string): string =>
  siteContactId(createHash('sha256').update(`on call: ${personId}`).digest('hex'))

function siteContactId(hash: string): string {
  const variant = ((Number.parseInt(hash[16]!, 16) & 0x3) | 0x8).toString(16)
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `${VERSION}${hash.slice(13, 16)}`,
    `${variant}${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ].join('-')
}
