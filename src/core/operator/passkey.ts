import { createHmac, timingSafeEqual } from 'node:crypto'
import { MINUTE, SECOND } from '../../lib/durations.ts'
import type { Refused } from '../decided.ts'
import type { OperatorCredentials } from './operator.ts'
import { secretHash } from './secret.ts'

/** A key of an operator's phone, computer or security key, which signs in alone. access.md#passkeys. */
export type Passkey = {
  /** The id that the authenticator gave it, base64url. */
  readonly id: string
  readonly operatorId: string
  /** The name that its operator gave it. */
  readonly name: string
  /** COSE, base64url. */
  readonly publicKey: string
  /** As of the last use; 0: its authenticator does not count. */
  readonly counter: number
  /** The host of the site's address when it was added. Browsers offer it only there. */
  readonly host: string
  /** Its maker's account copies it to other devices. */
  readonly synced: boolean
  readonly transports: readonly string[]
  /** The authenticator app at that time: a new one ends the passkey, whatever version of a node sets it. */
  readonly boundTo: string
  readonly addedAt: number
  readonly usedAt: number | null
  /** When the challenge of the last use was made. */
  readonly challengedAt: number
}

export type NewPasskey = Omit<Passkey, 'boundTo' | 'usedAt'>

/** The most of one operator. */
export const MAX_PASSKEYS = 10
export const MAX_PASSKEY_NAME = 60

/** A verified signature of a passkey. `challengedAt`: when its challenge was made. */
export type PasskeyProof = { readonly passkeyId: string } & Pick<Passkey, 'counter' | 'synced' | 'challengedAt'>

/** The binding of an operator's credential; null: none yet. */
export const bindingOf = ({ totpSecret }: Pick<OperatorCredentials, 'totpSecret'>): string | null =>
  totpSecret === null ? null : secretHash(totpSecret)

/** The passkey after this use. A used challenge, or a counter that did not grow, is a copy. */
export function afterUse(
  passkey: Passkey | null,
  account: Pick<OperatorCredentials, 'totpSecret'> & { readonly id: string },
  { counter, synced, challengedAt }: PasskeyProof,
  now: number,
): Passkey | Refused<'credentials_changed' | 'code_used'> {
  if (passkey === null || passkey.operatorId !== account.id) return { refused: 'credentials_changed' }
  if (passkey.boundTo !== bindingOf(account)) return { refused: 'credentials_changed' }
  if (isChallengeUsed(challengedAt, passkey.challengedAt)) return { refused: 'code_used' }
  if ((counter > 0 || passkey.counter > 0) && counter <= passkey.counter) return { refused: 'code_used' }
  return { ...passkey, counter, synced, challengedAt, usedAt: now }
}

/** How long a challenge counts: people look for their security key. */
export const CHALLENGE_MS = 5 * MINUTE
/** Between the clocks of two nodes. */
const AHEAD_MS = 2 * SECOND

/**
 * Whether a passkey has signed this challenge or a later one. One far ahead was recorded by a fast clock, and must not
 * lock its owner out until then.
 */
const isChallengeUsed = (madeAt: number, lastMadeAt: number): boolean =>
  madeAt <= lastMadeAt && lastMadeAt - madeAt <= CHALLENGE_MS + AHEAD_MS

const TIME_BYTES = 8
const RANDOM_BYTES = 16
const MAC_BYTES = 32

/** The purpose of a challenge: to sign in or prove a session, or to add a passkey in this session. */
export type ChallengeFor = 'sign-in' | `add ${string}`

const macOf = (key: Uint8Array, purpose: ChallengeFor, begin: Uint8Array): Buffer =>
  createHmac('sha256', key).update(`passkey challenge\n${purpose}\n`).update(begin).digest()

/**
 * A challenge, base64url. It carries its time and the site's signature, so that no node has to keep it: asking for
 * millions fills nothing. `random`: at least 128 random bits in base64url.
 */
export function challengeOf(key: Uint8Array, purpose: ChallengeFor, now: number, random: string): string {
  const begin = Buffer.alloc(TIME_BYTES + RANDOM_BYTES)
  begin.writeBigUInt64BE(BigInt(now))
  Buffer.from(random, 'base64url').copy(begin, TIME_BYTES)
  return Buffer.concat([begin, macOf(key, purpose, begin)]).toString('base64url')
}

/** When this challenge was made, if the site made it for this purpose and it still counts; else null. */
export function challengeMoment(key: Uint8Array, purpose: ChallengeFor, challenge: string, now: number): number | null {
  const bytes = Buffer.from(challenge, 'base64url')
  if (bytes.length !== TIME_BYTES + RANDOM_BYTES + MAC_BYTES) return null
  const begin = bytes.subarray(0, TIME_BYTES + RANDOM_BYTES)
  if (!timingSafeEqual(bytes.subarray(begin.length), macOf(key, purpose, begin))) return null
  const madeAt = Number(begin.readBigUInt64BE())
  return madeAt <= now + AHEAD_MS && now - madeAt < CHALLENGE_MS ? madeAt : null
}

/** Why passkeys do not work at the site's address. */
export type NoPasskeys = 'no_address' | 'not_https' | 'no_name'

const NUMBERS = /^\d+(\.\d+){3}$|^\[/

/** The host of passkeys: browsers bind them to the host of the site's address, which has to be a name with TLS. */
export function passkeyPlace(
  publicUrl: string,
): { readonly origin: string; readonly host: string } | Refused<NoPasskeys> {
  if (publicUrl === '' || !URL.canParse(publicUrl)) return { refused: 'no_address' }
  const { origin, protocol, hostname: host } = new URL(publicUrl)
  if (NUMBERS.test(host)) return { refused: 'no_name' }
  const isLocal = host === 'localhost' || host.endsWith('.localhost')
  return protocol === 'https:' || isLocal ? { origin, host } : { refused: 'not_https' }
}
