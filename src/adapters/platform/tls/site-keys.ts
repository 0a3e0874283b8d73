import { join } from 'node:path'
import { replaceFile } from '../../../lib/kept-file.ts'
import { readOwnFile } from '../../../lib/own-file.ts'
import { authorityIn, authorityOf, authorityText, keepAuthority } from './authority-files.ts'

/** A secret that all nodes of a site share, under its name in the database. */
export type SiteKey = { readonly name: 'local-ca' | 'user-token'; readonly value: Buffer }

const SECRET = 0o600

const tokenFile = (dataDir: string): string => join(dataDir, 'user-token.key')

/**
 * The keys in the data directory of a single-machine site, by name. A CA whose key the operator keeps elsewhere is not
 * included.
 */
export function siteKeysIn(dataDir: string): readonly SiteKey[] {
  const token = readOwnFile(tokenFile(dataDir))
  const { cert, key } = authorityIn(dataDir)
  const authority = cert === null || key === null ? null : Buffer.from(authorityText({ cert, key }))
  return [
    ...(authority === null ? [] : [{ name: 'local-ca', value: authority } as const]),
    ...(token === null ? [] : [{ name: 'user-token', value: token } as const]),
  ]
}

/** Installs keys in a data directory. A different CA there is kept as `.former`. */
export async function keepSiteKeys(
  dataDir: string,
  keys: readonly { readonly name: unknown; readonly value: Buffer }[],
): Promise<void> {
  for (const { name, value } of keys) {
    if (name === 'user-token') await replaceFile(tokenFile(dataDir), value, SECRET)
    if (name === 'local-ca') await keepAuthority(dataDir, authorityOf(value.toString('utf8')))
  }
}
