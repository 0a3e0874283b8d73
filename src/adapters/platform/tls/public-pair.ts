import { SECOND } from '../../../lib/durations.ts'
import { namesMissing, namesOf } from './names.ts'
import { certificatesIn, pairOf } from './pair.ts'
import type { Source } from './source.ts'
import { validityOf } from './validity.ts'

/** A certificate with its chain, and its key, in PEM. `origin`: a public CA, or the operator's own text. */
export type PublicPair = { readonly cert: string; readonly key: string; readonly origin?: 'acme' | 'tls.pem' }

/** Another node may have got a new certificate. */
const LOOK_MS = 30 * SECOND
export const MAX_CHAIN = 10
const NAMED = { cert: 'the certificate of the CA', key: 'its key' }
/** `file`: shown in place of one. */
const origins = {
  acme: { file: 'certificate_records', kind: 'acme', named: NAMED },
  'tls.pem': { file: 'tls.pem', kind: 'pasted', named: { cert: 'tls.pem', key: 'its key' } },
} as const

/**
 * The certificate from a public CA, or one that the operator has pasted, in addition to `own`: clients that ask for one
 * of its names get it, all others get that of `own`. Trackers that trust the local CA and connect by address must not
 * fall silent because of it. ADR 0063.
 */
export function withPublicPair(own: Source, publicPair: () => Promise<PublicPair | null>): Source {
  let last: PublicPair | null = null

  /** The last one, while the store does not answer. */
  const stored = async (): Promise<PublicPair | null> => {
    last = await publicPair().catch(() => last)
    return last
  }

  return {
    lookEveryMs: Math.min(own.lookEveryMs, LOOK_MS),
    async load(moment) {
      const text = await stored()
      const { file, kind, named } = origins[text?.origin ?? 'acme']
      const read = text === null ? null : pairOf({ ...text, named })
      const covered = read !== null && 'pair' in read ? read.pair.leaf : null
      const loaded = await own.load(moment, covered)
      if (read === null) return loaded
      if ('refused' in read) {
        return 'refused' in loaded ? loaded : { ...loaded, concerns: [...loaded.concerns, read.refused] }
      }
      const { pair } = read
      const used = { certificate: pair.leaf, file, kind }
      // A listener with this one alone is better than none.
      if ('refused' in loaded) return { pair, made: null, used: [used], concerns: [loaded.refused] }
      return { ...loaded, named: pair, used: [used, ...loaded.used.toReversed()] }
    },
  }
}

/** The certificate of a CA for these names and this key: its texts and dates (epoch ms), or why it is unusable. */
export function issuedPair(
  text: string,
  key: string,
  names: readonly string[],
  now: number,
): (PublicPair & { readonly from: number; readonly to: number }) | { readonly refused: string } {
  const chain = certificatesIn(text)
  if (chain === null) return { refused: 'it is no chain of certificates in PEM format' }
  if (chain.length > MAX_CHAIN) return { refused: `its chain has more than ${MAX_CHAIN} certificates` }
  // Nothing but certificates.
  const cert = chain.map((one) => one.toString()).join('')
  const read = pairOf({ cert, key, named: NAMED })
  if ('refused' in read) return read
  const { leaf } = read.pair
  const wildcards = names.filter((name) => name.startsWith('*.') && !namesOf(leaf).includes(name))
  const missing = [
    ...namesMissing(
      leaf,
      names.filter((name) => !name.startsWith('*.')),
    ),
    ...wildcards,
  ]
  if (missing.length > 0) return { refused: `it does not cover ${missing.join(', ')}` }
  const validity = validityOf(leaf)
  return validity.to <= now ? { refused: 'it has expired' } : { cert, key, ...validity }
}
