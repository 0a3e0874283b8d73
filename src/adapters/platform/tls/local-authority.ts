import type { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { MINUTE } from '../../../lib/durations.ts'
import { constraintsFor, constraintsOf, permits } from './constraints.ts'
import { type Issuer, issueAuthority, issueServer, newKey } from './issue.ts'
import { keepOnce, keptDirectory, replaceFile, textOf } from './kept-file.ts'
import { namesOf } from './names.ts'
import { certificatesIn, keyIn, type Pair, pairOf } from './pair.ts'
import type { Loaded, Source } from './source.ts'
import { likelyNow, whyRenew } from './validity.ts'

/** Names and addresses come and go; the files change only by our own hand. */
const LOOK_EVERY_MS = MINUTE
const SECRET = 0o600
const PUBLIC = 0o644

type Authority = {
  readonly cert: string
  readonly certificate: X509Certificate
  /** Null where the operator keeps it elsewhere, or lost it. */
  readonly key: string | null
}
type Refused = { readonly refused: string }

/**
 * A CA of this installation and a server certificate from it, both made when they are missing: `ca.crt`, which clients
 * trust, `ca.key`, and `server.pem` with certificate and key, in `{dataDir}/tls`. No file is ever half written, and
 * processes that start at once end up with one CA: its key is kept by whoever is first, its certificate follows from
 * the key. Certificate and key of the server share a file so that they cannot be of two minds. rules.md#certificates.
 * `names`: those to be covered, asked for at every look.
 */
export function localAuthority({ dataDir, names }: { dataDir: string; names: () => readonly string[] }): Source {
  const directory = join(dataDir, 'tls')
  const files = {
    cert: join(directory, 'ca.crt'),
    key: join(directory, 'ca.key'),
    server: join(directory, 'server.pem'),
  }

  return {
    lookEveryMs: LOOK_EVERY_MS,
    async load(moment) {
      await keptDirectory(directory)
      const kept = keptServer()
      const authority = await keptAuthority(moment.now, kept)
      if ('refused' in authority) return authority
      const constraints = constraintsOf(authority.certificate)
      const wanted = names().filter((name) => permits(constraints, name))
      const beyond = names().filter((name) => !wanted.includes(name) && !isPassing(name))
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

  /** A certificate that named them would be refused as a whole. */
  function beyondTheCa(beyond: readonly string[]): string {
    return `the local CA may not sign for ${beyond.join(', ')}: this machine did not have that name when the CA was made, so clients that connect under it reject the certificate: name a certificate of your own (tls.cert), or remove ${directory} and restart; a new CA is then made, and every client has to trust its ca.crt`
  }

  /** In this order: where the certificate is there, the key was there before it. */
  async function keptAuthority(now: number, kept: Pair | null): Promise<Authority | Refused> {
    const cert = textOf(files.cert)
    const key = textOf(files.key)
    if (cert !== null) return authorityOf(cert, key)
    if (key === null) await keepOnce(files.key, newKey(), SECRET)
    const keptKey = textOf(files.key) ?? ''
    if (!isKey(keptKey)) return { refused: `${files.key} contains no private key in PEM format, or a damaged one` }
    // Where only ca.crt was lost, what the old one vouched for stays possible.
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

  /** A damaged one is as good as none. */
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
      // A disk that is full or read-only must not end encryption as long as there is something to serve with.
      if (kept === null) throw error
      isKept = false
      concerns.push(`${files.server} could not be renewed (${reason}): ${(error as Error).message}`)
    }
    const pair = keptServer() ?? kept
    if (pair === null) return { refused: `${files.server} was written but could not be read back` }
    return loaded(pair, authority, isKept ? reason : null, concerns)
  }

  /** Even a certificate that clients refuse is better than no listener. */
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

/** IPv6 addresses of the Internet come and go with the provider, and hardly anybody dials one. */
const isPassing = (name: string): boolean => isIP(name) === 6

function isKey(text: string): boolean {
  const key = keyIn(text)
  return key !== null && key !== 'encrypted'
}
