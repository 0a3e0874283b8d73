import { isoAt } from '../../../core/ingest/event-time.ts'
import { namesOf } from './names.ts'
import type { Loaded } from './source.ts'
import { concernOf, stateOf, type Used, validityOf } from './validity.ts'

/** One certificate, for people who have to trust it. Times are ISO 8601; the fingerprint is SHA-256 in hex pairs. */
type CertificateInfo = {
  readonly file: string
  readonly fingerprint: string
  readonly validFrom: string
  readonly validTo: string
  readonly state: ReturnType<typeof stateOf>
}

export type TlsInfo = CertificateInfo & {
  readonly source: 'operator' | 'local' | 'acme'
  /** Host names and addresses. */
  readonly names: readonly string[]
  /** The local CA, with its certificate in PEM. */
  readonly ca: (CertificateInfo & { readonly pem: string }) | null
  /** Concerns for the operator, one sentence each. */
  readonly concerns: readonly string[]
}

/** The operator's concerns about the certificates in use. */
export const concernsOf = ({ used, concerns }: Pick<Loaded, 'used' | 'concerns'>, now: number): readonly string[] => [
  ...concerns,
  ...used.map((one) => concernOf(one, now)).filter((concern) => concern !== null),
]

/** The certificates in use, as of `now`. */
export function infoOf(loaded: Pick<Loaded, 'used' | 'concerns'>, now: number): TlsInfo {
  const [server, ca] = loaded.used
  return {
    source: sourceOf(server),
    ...certificateInfo(server, now),
    names: namesOf(server.certificate),
    ca: ca === undefined ? null : { ...certificateInfo(ca, now), pem: ca.certificate.toString() },
    concerns: concernsOf(loaded, now),
  }
}

function sourceOf({ kind }: Used): TlsInfo['source'] {
  switch (kind) {
    case 'server':
    case 'ca':
      return 'local'
    case 'pasted':
      return 'operator'
    case 'operator':
    case 'acme':
      return kind
    default:
      return kind satisfies never
  }
}

function certificateInfo({ certificate, file }: Used, now: number): CertificateInfo {
  const validity = validityOf(certificate)
  return {
    file,
    fingerprint: certificate.fingerprint256,
    validFrom: isoAt(validity.from),
    validTo: isoAt(validity.to),
    state: stateOf(validity, now),
  }
}
