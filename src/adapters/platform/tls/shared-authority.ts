import { keptDirectory } from '../../../lib/kept-file.ts'
import type { Log } from '../../../ports/log.ts'
import type { SharedKeys } from '../../../ports/shared-keys.ts'
import {
  type Authority,
  authorityFiles,
  authorityIn,
  authorityOf,
  authorityText,
  keepAuthority,
} from './authority-files.ts'
import { constraintsFor } from './constraints.ts'
import { issueAuthority, newKey } from './issue.ts'
import { certificatesIn, keyIn } from './pair.ts'

type AuthorityNeeds = {
  readonly dataDir: string
  readonly keys: SharedKeys
  /**
   * The names that a new CA may sign for besides everything private: the host of `publicUrl`, and this machine's names.
   */
  readonly names: readonly string[]
  readonly now: number
  readonly log: Log
}

/**
 * Installs the local CA that all nodes share in `{dataDir}/tls`, before the server's certificate is made from it. If
 * the first node already has a CA, that one is shared, so that its clients still trust it. A CA whose key the operator
 * keeps elsewhere is left as it is, and not shared.
 */
export async function shareAuthority({ dataDir, keys, names, now, log }: AuthorityNeeds): Promise<void> {
  const files = authorityFiles(dataDir)
  await keptDirectory(files.directory)
  const { cert, key } = authorityIn(dataDir)
  if (cert !== null && key === null) return
  const here = cert !== null && key !== null && isPair({ cert, key }) ? { cert, key } : null
  const own = async (): Promise<Uint8Array> =>
    Buffer.from(authorityText(here ?? (await newAuthority(now, constraintsFor(names)))))
  const stored = await keys.sharedKey('local-ca', own)
  // The node is not ready, but its devices get an answer.
  if (stored === null) return
  const shared = authorityOf(Buffer.from(stored).toString('utf8'))
  if (!isPair(shared)) throw new Error('the local CA in the database is damaged: restore the table shared_keys')
  if (cert !== null && (cert !== shared.cert || key !== shared.key)) {
    log.warn(
      {},
      `${files.cert} is replaced by the CA that all nodes share: clients that trust the former one must trust it`,
    )
  } else if (key !== null && key !== shared.key) {
    log.warn(
      {},
      `${files.key} has no certificate beside it; it is kept as ${files.key}.former, and the CA is another one`,
    )
  }
  await keepAuthority(dataDir, shared)
}

async function newAuthority(now: number, constraints: ReturnType<typeof constraintsFor>): Promise<Authority> {
  const key = newKey()
  return { cert: await issueAuthority(key, now, constraints), key }
}

function isPair({ cert, key }: Authority): boolean {
  const [certificate] = certificatesIn(cert) ?? []
  const privateKey = keyIn(key)
  return (
    certificate !== undefined &&
    privateKey !== null &&
    privateKey !== 'encrypted' &&
    certificate.checkPrivateKey(privateKey)
  )
}
