import type { X509Certificate } from 'node:crypto'
import { isoAt } from '../../../core/ingest/event-time.ts'
import { DAY, SECOND } from '../../../lib/durations.ts'
import { namesMissing } from './names.ts'

/** Both in epoch ms. */
export type Validity = { readonly from: number; readonly to: number }

/** A clock that shows an earlier time has not been set since the machine started. */
export const EARLIEST = Date.UTC(2026, 0, 1)

/** Phones accept a server certificate of at most 398 days. */
export const SERVER_LIFE_MS = 397 * DAY
/** Early enough that a hut closed from autumn to spring reopens with a valid certificate. */
export const RENEW_BEFORE_END_MS = 150 * DAY
/** Backdated so that clients whose clock is behind do not see a new certificate as not yet valid. */
const BACKDATED_MS = DAY
const AUTHORITY_LIFE_MS = 20 * 365 * DAY

const OPERATOR_NOTICE_MS = 21 * DAY
const AUTHORITY_NOTICE_MS = 365 * DAY

/** The validity of a server certificate issued at `now`. */
export function serverValidity(now: number): Validity {
  const from = wholeSecond(Math.max(now, EARLIEST) - BACKDATED_MS)
  // Both ends are inclusive.
  return { from, to: from + SERVER_LIFE_MS - SECOND }
}

/**
 * The validity of a local CA created at `now`. Its start does not depend on the clock: the CA is created once, perhaps
 * before the clock was ever set.
 */
export const authorityValidity = (now: number): Validity => ({
  from: EARLIEST - BACKDATED_MS,
  to: wholeSecond(Math.max(now, EARLIEST)) + AUTHORITY_LIFE_MS,
})

const wholeSecond = (ms: number): number => Math.floor(ms / SECOND) * SECOND

export const validityOf = ({ validFrom, validTo }: X509Certificate): Validity => ({
  from: Date.parse(validFrom),
  to: Date.parse(validTo),
})

/** The validity of a certificate at a moment. */
export function stateOf({ from, to }: Validity, now: number): 'valid' | 'expired' | 'not_yet_valid' {
  if (now > to) return 'expired'
  return now < from ? 'not_yet_valid' : 'valid'
}

/** `now`: epoch ms. `clockWasSet`: while this process was running. */
export type ClockReading = { readonly now: number; readonly clockWasSet: boolean }

/**
 * The likely time, judging by a kept server certificate: not before it was issued. A box without a battery starts in
 * the past, and must not replace a good certificate with one that has expired for everyone with the right time. A clock
 * that has been set since is trusted.
 */
export const likelyNow = (leaf: X509Certificate, { now, clockWasSet }: ClockReading): number =>
  clockWasSet ? now : Math.max(now, validityOf(leaf).from + BACKDATED_MS)

export type Kept = {
  readonly leaf: X509Certificate
  readonly authority: X509Certificate
  /** The names that it has to cover. */
  readonly names: readonly string[]
  readonly now: number
}

/** The reason to reissue a kept server certificate, or null. */
export function whyRenew({ leaf, authority, names, now }: Kept): string | null {
  const { from, to } = validityOf(leaf)
  if (!leaf.checkIssued(authority) || !leaf.verify(authority.publicKey)) return 'another CA issued it'
  if (to - now < RENEW_BEFORE_END_MS) return `it expires on ${isoAt(to)}`
  if (now < from) return 'it was issued while the clock was ahead'
  const missing = namesMissing(leaf, names)
  return missing.length > 0 ? `it does not cover ${missing.join(', ')}` : null
}

/** A certificate in use, and its file. */
export type Used = {
  readonly certificate: X509Certificate
  readonly file: string
  readonly kind: 'operator' | 'pasted' | 'acme' | 'server' | 'ca'
}

/** The renewal tells itself of a certificate of the CA that ends. */
const noticeMs = {
  operator: OPERATOR_NOTICE_MS,
  pasted: OPERATOR_NOTICE_MS,
  acme: 0,
  server: 0,
  ca: AUTHORITY_NOTICE_MS,
} as const

const remedy = {
  operator: 'replace it; the new one is used without a restart',
  pasted: 'replace it where it is set, in the console (Site setup) or in the file',
  acme: 'if the clock of this machine is right, /readyz and the log say why it was not renewed',
  server: 'if the clock of this machine is right, remove the file and restart; a new one is then made',
  ca: 'remove the directory and restart; a new one is then made, and every client has to trust the new ca.crt',
} as const

/** The operator's concern about a certificate's dates, in one sentence, or null. */
export function concernOf({ certificate, file, kind }: Used, now: number): string | null {
  const { from, to } = validityOf(certificate)
  const state = stateOf({ from, to }, now)
  switch (state) {
    case 'expired':
      return `the certificate ${file} expired on ${isoAt(to)}, and clients reject it: ${remedy[kind]}`
    case 'not_yet_valid':
      return `the certificate ${file} is not valid before ${isoAt(from)}, and the clock of this machine is behind that: ${remedy[kind]}`
    case 'valid':
      return to - now < noticeMs[kind] ? `the certificate ${file} expires on ${isoAt(to)}: ${remedy[kind]}` : null
    default:
      return state satisfies never
  }
}
