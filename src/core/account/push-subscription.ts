import type { Language } from '../text/phrases.ts'

/** Web Push to one device with the app in the box. app.md#news. Times are epoch ms. */
export type PushSubscription = {
  readonly deviceId: string
  readonly userId: string
  /** The address at the browser's push service for this device. Anyone who knows it can send there. */
  readonly endpoint: string
  /** Of the browser, base64url: they encrypt what only this device can read. */
  readonly p256dh: string
  readonly auth: string
  readonly language: Language
  /** The person wants the whole text on the screen; otherwise only that there are news. */
  readonly wholeText: boolean
  readonly keptAt: number
  /** The last that was accepted for this device; null: none yet. */
  readonly sentAt: number | null
  /** The last try, if it failed: the device may not learn anything by Web Push. */
  readonly failedAt: number | null
  readonly failure: PushFailure | null
}

/** Coarse: nobody explores a network with it. `refused`: the push service does not take it, now or ever. */
export const pushFailures = ['unreachable', 'refused'] as const
export type PushFailure = (typeof pushFailures)[number]

/** The data that a browser hands over. */
export type PushTarget = Pick<PushSubscription, 'endpoint' | 'p256dh' | 'auth'>

/** A device can have other news than the newest: see `claimPush`. */
export type PushMark = {
  /** The state to tell, distinct from every other state of the same alarm. */
  readonly told: string
  /** When the alarm opened: later alarms are newer news. */
  readonly since: number
  /** Grows with the alarm. */
  readonly version: number
  /** The end: newer than any other news of the alarm. */
  readonly isEnd: boolean
  /** No news unless the device was told something of this alarm before. */
  readonly onlyIfTold: boolean
}

/** The longest endpoints of browsers have about 600 characters. */
const MAX_ENDPOINT = 1024
const P256DH_BYTES = 65
const AUTH_BYTES = 16
/** An uncompressed point of P-256. */
const UNCOMPRESSED = 4

/** Why a push service cannot be called there, worded to follow the field's name; null if it can. */
export function problemOfEndpoint(endpoint: string): string | null {
  if (endpoint.length > MAX_ENDPOINT) return `must have at most ${MAX_ENDPOINT} characters`
  if (!/^https:\/\/[\x21-\x7e]+$/.test(endpoint) || !URL.canParse(endpoint)) return 'must be an https address'
  const { username, password, port } = new URL(endpoint)
  return username === '' && password === '' && port === '' ? null : 'must have neither a user nor a port'
}

const bytesIn = (text: string): Buffer | null =>
  /^[A-Za-z0-9_-]{1,100}={0,2}$/.test(text) ? Buffer.from(text, 'base64url') : null

export function problemOfP256dh(text: string): string | null {
  const bytes = bytesIn(text)
  return bytes?.length === P256DH_BYTES && bytes[0] === UNCOMPRESSED ? null : 'must be a public key of P-256, base64url'
}

export const problemOfAuth = (text: string): string | null =>
  bytesIn(text)?.length === AUTH_BYTES ? null : 'must be 16 bytes, base64url'
