import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TlsSource } from './identity.ts'
import { infoOf, type TlsInfo } from './info.ts'
import { certificatesIn } from './pair.ts'
import type { Used } from './validity.ts'

/** The certificate in use, as the files have it. Unlike `createTlsIdentity`, makes and renews nothing. */
export async function lookAtCertificate(
  from: TlsSource,
  now: number,
): Promise<Omit<TlsInfo, 'fingerprint' | 'ca'> | { readonly missing: string }> {
  const isOwn = 'certFile' in from
  const file = isOwn ? from.certFile : join(from.dataDir, 'tls', 'server.pem')
  const server = await certificateIn(file)
  if (typeof server === 'string') return { missing: `the certificate ${file} ${server}` }
  const used: [Used, ...Used[]] = [{ certificate: server, file, kind: isOwn ? 'operator' : 'server' }]
  if (!isOwn) {
    const caFile = join(from.dataDir, 'tls', 'ca.crt')
    const ca = await certificateIn(caFile)
    if (typeof ca === 'string') return { missing: `the certificate ${caFile} ${ca}` }
    used.push({ certificate: ca, file: caFile, kind: 'ca' })
  }
  return infoOf({ used, concerns: [] }, now)
}

/** The first certificate of the file, or why there is none. Only it is looked at, never the key beside it. */
async function certificateIn(file: string) {
  try {
    return certificatesIn(await readFile(file, 'utf8'))?.[0] ?? 'holds no certificate in PEM format'
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`
  }
}
