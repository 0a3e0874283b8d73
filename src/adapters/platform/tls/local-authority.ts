import type { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { MINUTE } from '../../../lib/durations.ts'
import { keepOnce, keptDirectory, replaceFile, textOf } from '../../../lib/kept-file.ts'
import { constraintsFor, constraintsOf, permits } from './constraints.ts'
import { type Issuer, issueAuthority, issueServer, newKey } from './issue.ts'
import { namesMissing, namesOf } from './names.ts'
import { certificatesIn, keyIn, type Pair, pairOf } from './pair.ts'
import type { Loaded, Source } from './source.ts'
import { likelyNow, whyRenew } from './validity.ts'

/** The machine's names and addresses change; the files change only by our own writes. */
const POLL_INTERVAL_MS = MINUTE
const SECRET = 0o600
const PUBLIC = 0o644

type Authority = {
  readonly cert: string
  readonly certificate: X509Certificate
  /** Null if the operator keeps it elsewhere or has lost it. */
  readonly key: string | null
}
type Refused = { readonly refused: string }

/**
 * A CA of this installation and a server certificate from it, both created if missing. In `{dataDir}/tls`: `ca.crt`,
 * which clients trust, `ca.key`, and `server.pem` with certificate and key (access.md#certificates). No file is ever
 * half written. Processes that start together end up with one CA: the first one's key is kept, and the certificate
 * follows from the key. The server's certificate and key share a file so that they always match. `names`: the names to
 * cover, queried at every check.
 */
export function localAuthority({ dataDir, names }: { dataDir: string; names: () => readonly string[] }): Source {
  const directory = join(dataDir, 'tls')
  const files = {
    cert: join(directory, 'ca.crt'),
    key: join(directory, 'ca.key'),
    server: join(directory, 'server.pem'),
  }

  return {
    lookEveryMs: POLL_INTERVAL_MS,
    async load(moment, beside = null) {
      await keptDirectory(directory)
      const kept = keptServer()
      const authority = await keptAuthority(moment.now, kept)
      if ('refused' in authority) return authority
      const constraints = constraintsOf(authority.certificate)
      const wanted = names().filter((name) => permits(constraints, name))
      const missing = names().filter((name) => !wanted.includes(name) && !isPassing(name))
      const beyond = beside === null ? missing : namesMissing(beside, missing)
      const concerns = beyond.length === 0 ? [] : [beyondTheCa(beyond)]
      const now = kept === null ? moment.now : likelyNow(kept.leaf, moment)
      const reason =
        kept === null
          ? 'there is none'
          : whyRenew({ leaf: kept.leaf, authority: authority.certificate, names: wanted, now })
      if (kept !== null && reason === null) return loaded(kept, authority, null, concerns)
      const { key } = authority
      if (key === null) return withoutKey(kept, authority, reason)
      const made = await issueServer({ cert: authority.cert, key }, wanted, now)
      return keepServer(made, kept, authority, { reason, concerns })
    },
  }

  /**
   * The concern about names that the CA may not sign for: clients would reject a certificate that included them
   * entirely.
   */
  function beyondTheCa(beyond: readonly string[]): string {
    return `the local CA may not sign for ${beyond.join(', ')}: this machine did not have that name when the CA was made, so clients that connect under it reject the certificate: switch acme on, name a certificate of your own (tls.cert), or remove ${directory} and restart; a new CA is then made, and every client has to trust its ca.crt`
  }

  /** The CA, created if missing. The certificate is read first: if it exists, its key existed before it. */
  async function keptAuthority(now: number, kept: Pair | null): Promise<Authority | Refused> {
    const cert = textOf(files.cert)
    const key = textOf(files.key)
    if (cert !== null) return authorityOf(cert, key)
    if (key === null) await keepOnce(files.key, newKey(), SECRET)
    const keptKey = textOf(files.key) ?? ''
    if (!isKey(keptKey)) return { refused: `${files.key} contains no private key in PEM format, or a damaged one` }
    // If only ca.crt was lost, the new one keeps allowing what the old one signed for.
    const named = [...names(), ...(kept === null ? [] : namesOf(kept.leaf))]
    await keepOnce(files.cert, await issueAuthority(keptKey, now, constraintsFor(named)), PUBLIC)
    return authorityOf(textOf(files.cert) ?? '', keptKey)
  }

  function authorityOf(cert: string, key: string | null): Authority | Refused {
    const certificate = certificatesIn(cert)?.[0]
    if (certificate === undefined)
      return { refused: `${files.cert} contains no certificate in PEM format, or a damaged one` }
    if (key === null) return { cert, certificate, key }
    const privateKey = keyIn(key)
    if (privateKey === null || privateKey === 'encrypted' || !certificate.checkPrivateKey(privateKey)) {
      return { refused: `${files.key} does not match ${files.cert}; restore both from the same backup` }
    }
    return { cert, certificate, key }
  }

  /** The kept server certificate; a damaged one counts as missing. */
  function keptServer(): Pair | null {
    const text = textOf(files.server) ?? ''
    const read = pairOf({ cert: text, key: text, named: { cert: files.server, key: files.server } })
    return 'pair' in read ? read.pair : null
  }

  async function keepServer(
    made: Issuer,
    kept: Pair | null,
    authority: Authority,
    { reason, concerns: known }: { readonly reason: string | null; readonly concerns: readonly string[] },
  ) {
    let isKept = true
    const concerns = [...known]
    try {
      await replaceFile(files.server, made.cert + made.key, SECRET)
    } catch (error) {
      // A full or read-only disk must not end encryption as long as there is a certificate to serve.
      if (kept === null) throw error
      isKept = false
      concerns.push(`${files.server} could not be renewed (${reason}): ${(error as Error).message}`)
    }
    const pair = keptServer() ?? kept
    if (pair === null) return { refused: `${files.server} was written but could not be read back` }
    return loaded(pair, authority, isKept ? reason : null, concerns)
  }

  /**
   * The kept certificate, if there is no key to sign another: even one that clients refuse is better than no listener.
   */
  function withoutKey(kept: Pair | null, authority: Authority, reason: string | null): Loaded | Refused {
    const sentence = `a new server certificate is needed (${reason}), but the key that would sign it, ${files.key}, is missing; restore it from a backup`
    return kept === null ? { refused: sentence } : loaded(kept, authority, null, [sentence])
  }

  function loaded(pair: Pair, { certificate }: Authority, made: string | null, concerns: readonly string[]): Loaded {
    return {
      pair,
      made,
      used: [
        { certificate: pair.leaf, file: files.server, kind: 'server' },
        { certificate, file: files.cert, kind: 'ca' },
      ],
      concerns,
    }
  }
}

/** Public IPv6 addresses change with the provider, and few clients connect to one. */
const isPassing = (name: string): boolean => isIP(name) === 6

function isKey(text: string): boolean {
  const key = keyIn(text)
  return key !== null && key !== 'encrypted'
}
