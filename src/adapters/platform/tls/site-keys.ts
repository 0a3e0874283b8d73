import { join } from 'node:path'
import { readOwnFile } from '../../../lib/own-file.ts'
import { keptDirectory, replaceFile, textOf } from './kept-file.ts'

/** A secret that all nodes of a site have in common, under its name in the database. */
export type SiteKey = { readonly name: 'local-ca' | 'user-token'; readonly value: Buffer }

const SECRET = 0o600
const PUBLIC = 0o644
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n?/

const filesIn = (dataDir: string) => ({
  token: join(dataDir, 'user-token.key'),
  directory: join(dataDir, 'tls'),
  cert: join(dataDir, 'tls', 'ca.crt'),
  key: join(dataDir, 'tls', 'ca.key'),
})

/**
 * The keys in the data directory of a site that has one machine, by name. A CA whose key the operator keeps elsewhere
 * is not among them.
 */
export function siteKeysIn(dataDir: string): readonly SiteKey[] {
  const files = filesIn(dataDir)
  const token = readOwnFile(files.token)
  const [cert, key] = [textOf(files.cert), textOf(files.key)]
  return [
    ...(cert === null || key === null ? [] : [{ name: 'local-ca', value: Buffer.from(cert + key) } as const]),
    ...(token === null ? [] : [{ name: 'user-token', value: token } as const]),
  ]
}

/** Brings keys into a data directory. Another CA that is there stays beside it, as `.former`. */
export async function keepSiteKeys(
  dataDir: string,
  keys: readonly { readonly name: unknown; readonly value: Buffer }[],
): Promise<void> {
  const files = filesIn(dataDir)
  for (const { name, value } of keys) {
    if (name === 'user-token') await replaceFile(files.token, value, SECRET)
    if (name !== 'local-ca') continue
    const text = value.toString('utf8')
    const [cert = ''] = CERTIFICATE.exec(text) ?? []
    await keptDirectory(files.directory)
    await replace(files.key, text.replace(cert, ''), SECRET)
    await replace(files.cert, cert, PUBLIC)
  }
}

async function replace(file: string, text: string, mode: number): Promise<void> {
  const there = textOf(file)
  if (there === text) return
  if (there !== null) await replaceFile(`${file}.former`, there, mode)
  await replaceFile(file, text, mode)
}
