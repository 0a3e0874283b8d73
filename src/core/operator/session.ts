import { DAY, HOUR, MINUTE } from '../../lib/durations.ts'

/** Longer than a shift and than the silence of a quiet night. */
export const SESSION_IDLE_MS = 12 * HOUR
/** Even an operator who uses the console every day has to sign in again once a week. */
export const SESSION_ABSOLUTE_MS = 7 * DAY
/** How long an entered password or code is valid for actions that give lasting access or could silence someone. */
const PROOF_MS = 10 * MINUTE
/** How often a session in use records that in the store. */
export const SEEN_EVERY_MS = MINUTE
/** The most sessions of one operator; a further one ends the least recently used one. */
export const MAX_SESSIONS = 20
/** How long a link for the first sign-in works. */
export const INVITATION_MS = 3 * DAY
/** The longest lifetime of an API token. */
export const MAX_TOKEN_MS = 400 * DAY
export const MAX_TOKENS = 100

/** A signed-in browser. Only the hash of its cookie is stored. */
export type OperatorSession = {
  readonly id: string
  readonly operatorId: string
  readonly createdAt: number
  readonly seenAt: number
  readonly expiresAt: number
  /** When its operator last gave a password or a code: at sign-in, or when asked again. */
  readonly provedAt: number
  /** Shown in the operator's list of sessions, so that it can be recognised. */
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

/** When a session ends unless it is used again, epoch ms. */
export const endOf = ({ seenAt, expiresAt }: Pick<OperatorSession, 'seenAt' | 'expiresAt'>): number =>
  Math.min(seenAt + SESSION_IDLE_MS, expiresAt)

/**
 * Whether a session has ended. One that seems to begin in the future was stamped by a fast clock, so its limits mean
 * nothing: it has ended, too.
 */
export const hasEnded = (session: Pick<OperatorSession, 'createdAt' | 'seenAt' | 'expiresAt'>, now: number): boolean =>
  now >= endOf(session) || session.createdAt > now + HOUR

/**
 * Whether the operator has recently proved who they are: a screen left open must not create another administrator. A
 * proof from the future was recorded by a fast clock and does not count.
 */
export const isProved = ({ provedAt }: Pick<OperatorSession, 'provedAt'>, now: number): boolean =>
  Math.abs(now - provedAt) < PROOF_MS

/** An API token for a script or a screen. Only its hash is stored. */
export type ApiToken = {
  readonly id: string
  readonly name: string
  readonly role: 'viewer' | 'operator' | 'admin'
  readonly applications: readonly string[] | null
  /** The operator who made it. */
  readonly createdBy: string
  readonly createdAt: number
  readonly expiresAt: number
  /** Epoch ms, approximate. Null: never. */
  readonly usedAt: number | null
}
