import { DAY, HOUR, MINUTE } from '../../lib/durations.ts'

/** A shift, with some room. Longer than the silence between two incidents of a quiet night would be too short. */
export const SESSION_IDLE_MS = 12 * HOUR
/** Even an operator who uses the console every day signs in again once a week. */
export const SESSION_ABSOLUTE_MS = 7 * DAY
/** How long an entered password or code is valid for actions that give lasting access or could silence someone. */
const PROOF_MS = 10 * MINUTE
/** How often a session that is used says so in the store. */
export const SEEN_EVERY_MS = MINUTE
/** Sessions of one operator; a further one ends the one that was used longest ago. */
export const MAX_SESSIONS = 20
/** How long a link for the first sign-in works. */
export const INVITATION_MS = 3 * DAY
/** API tokens end: this is the longest that one may live. */
export const MAX_TOKEN_MS = 400 * DAY
export const MAX_TOKENS = 100

/** A signed-in browser. The cookie's value is not kept, only its hash. */
export type OperatorSession = {
  readonly id: string
  readonly operatorId: string
  readonly createdAt: number
  readonly seenAt: number
  readonly expiresAt: number
  /** When its operator last gave a password or a code: at the sign-in, or when asked again. */
  readonly provedAt: number
  /** So that the operator recognises it in the list. */
  readonly address: string
  readonly browser: string
}

/** A session about to be opened, with the hash of its cookie. */
export type NewSession = OperatorSession & { readonly hash: string }

const MAX_BROWSER_LENGTH = 200

/** A session that begins now. */
export const newSession = ({
  id,
  operatorId,
  now,
  address,
  browser,
}: Pick<OperatorSession, 'id' | 'operatorId' | 'address' | 'browser'> & { readonly now: number }): OperatorSession => ({
  id,
  operatorId,
  createdAt: now,
  seenAt: now,
  expiresAt: now + SESSION_ABSOLUTE_MS,
  provedAt: now,
  address,
  browser: browser.replace(/\p{Cc}/gu, ' ').slice(0, MAX_BROWSER_LENGTH),
})

/** When a session ends if it is not used again, epoch ms. */
export const endOf = ({ seenAt, expiresAt }: Pick<OperatorSession, 'seenAt' | 'expiresAt'>): number =>
  Math.min(seenAt + SESSION_IDLE_MS, expiresAt)

/**
 * Whether a session has ended. One that seems to begin in the future was made by a clock that was ahead, so its limits
 * say nothing: it has ended, too.
 */
export const hasEnded = (session: Pick<OperatorSession, 'createdAt' | 'seenAt' | 'expiresAt'>, now: number): boolean =>
  now >= endOf(session) || session.createdAt > now + HOUR

/**
 * Whether the operator has proved lately who they are: a screen that was left open must not make another administrator.
 * A proof from the future was noted by a clock that ran ahead, and says nothing.
 */
export const isProved = ({ provedAt }: Pick<OperatorSession, 'provedAt'>, now: number): boolean =>
  Math.abs(now - provedAt) < PROOF_MS

/** For a script or a screen. The token itself is not kept, only its hash. */
export type ApiToken = {
  readonly id: string
  readonly name: string
  readonly role: 'viewer' | 'operator' | 'admin'
  readonly applications: readonly string[] | null
  /** Who made it. */
  readonly createdBy: string
  readonly createdAt: number
  readonly expiresAt: number
  /** Epoch ms, about. Null: never. */
  readonly usedAt: number | null
}
