import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { textOf } from '../../../lib/kept-file.ts'
import type { TlsSource } from './identity.ts'
import type { TlsInfo } from './info.ts'
import { namesOf } from './names.ts'
import { certificatesIn } from './pair.ts'

/**
 * The certificate that clients see, for a command beside the service. Unlike `createTlsIdentity`, makes none. Null if
 * there is none, or if this user may not read it.
 */
export function certificateOnDisk(from: TlsSource): Pick<TlsInfo, 'source' | 'fingerprint' | 'names'> | null {
  try {
    const isLocal = 'dataDir' in from
    const text = isLocal ? textOf(join(from.dataDir, 'tls', 'server.pem')) : readFileSync(from.certFile, 'utf8')
    const [leaf] = certificatesIn(text ?? '') ?? []
    if (leaf === undefined) return null
    return { source: isLocal ? 'local' : 'operator', fingerprint: leaf.fingerprint256, names: namesOf(leaf) }
  } catch {
    return null
  }
}
