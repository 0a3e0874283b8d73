import { join } from 'node:path'
import type { Log } from '../../../ports/log.ts'
import type { SharedKeys } from '../../../ports/shared-keys.ts'
import { constraintsFor } from './constraints.ts'
import { issueAuthority, newKey } from './issue.ts'
import { keptDirectory, replaceFile, textOf } from './kept-file.ts'
import { certificatesIn, keyIn } from './pair.ts'

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n?/

type Parts = {
  readonly dataDir: string
  readonly keys: SharedKeys
  /** What a new CA may sign for besides everything private: the host of `publicUrl`, and this machine's names. */
  readonly names: readonly string[]
  readonly now: number
  readonly log: Log
}

/**
 * Brings the local CA that all nodes share into `{dataDir}/tls`, before the server's certificate is made from it. The
 * first node's CA counts, if it has one already; clients that trust it go on. A CA whose key the operator keeps
 * elsewhere is left as it is, and shared with nobody.
 */
export async function shareAuthority({ dataDir, keys, names, now, log }: Parts): Promise<void> {
  const directory = join(dataDir, 'tls')
  const files = { cert: join(directory, 'ca.crt'), key: join(directory, 'ca.key') }
  await keptDirectory(directory)
  const here = { cert: textOf(files.cert), key: textOf(files.key) }
  if (here.cert !== null && here.key === null) return
  const own = async (): Promise<Uint8Array> => {
    const isWhole = here.cert !== null && here.key !== null && isPair(here.cert, here.key)
    const key = isWhole ? here.key! : newKey()
    const cert = isWhole ? here.cert! : await issueAuthority(key, now, constraintsFor(names))
    return Buffer.from(cert + key)
  }
  const text = Buffer.from(await keys.sharedKey('local-ca', own)).toString('utf8')
  const [cert = ''] = CERTIFICATE.exec(text) ?? []
  const key = text.replace(cert, '')
  if (!isPair(cert, key)) throw new Error('the local CA in the database is damaged: restore the table shared_keys')
  if (cert === here.cert && key === here.key) return
  if (here.cert !== null) {
    log.warn(
      {},
      `${files.cert} is replaced by the CA that all nodes share: clients that trust the former one must trust it`,
    )
    await replaceFile(`${files.cert}.former`, here.cert, 0o644)
    await replaceFile(`${files.key}.former`, here.key!, 0o600)
  }
  await replaceFile(files.key, key, 0o600)
  await replaceFile(files.cert, cert, 0o644)
}

function isPair(cert: string, key: string): boolean {
  const [certificate] = certificatesIn(cert) ?? []
  const privateKey = keyIn(key)
  return (
    certificate !== undefined &&
    privateKey !== null &&
    privateKey !== 'encrypted' &&
    certificate.checkPrivateKey(privateKey)
  )
}
