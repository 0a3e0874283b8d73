import { entry, type KnownActor } from '../../core/operator/audit.ts'
import type { Grant } from '../../core/operator/role.ts'
import { secretHash } from '../../core/operator/secret.ts'
import { hasEnded, type OperatorSession, SEEN_EVERY_MS } from '../../core/operator/session.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { OperatorStore } from '../../ports/operator-store.ts'

/** The caller of the operator API, with their grant. */
export type OperatorCaller = {
  readonly actor: KnownActor
  readonly grant: Grant
  /** Null for an API token. */
  readonly login: string | null
  readonly session: OperatorSession | null
  /** When the session or the token ends even if it is used: epoch ms. */
  readonly expiresAt: number
}

type OfSession = OperatorCaller & { readonly session: OperatorSession }

/** The credential of a request: the value of a cookie, or an API token. */
type Proof = { readonly kind: 'cookie' | 'token'; readonly secret: string }

type CallerNeeds = {
  readonly store: Pick<
    OperatorStore,
    'operatorSession' | 'sessionSeen' | 'apiToken' | 'apiTokenUsed' | 'operatorSessions' | 'endSession'
  >
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
  /** Called when a request has ended an operator's session. */
  readonly onSessionEnded?: () => void
}

/**
 * Finds the caller behind a cookie or a token, in the store with each request: a revoked one ends with the next
 * request, on every node. Null: unknown, ended, revoked, or its operator is disabled. Rejects only with a StoreError.
 */
export function operatorCallers({ store, clock, log, onSessionEnded }: CallerNeeds) {
  /** Runs in the background: a request is answered even if the store could not record its time. */
  const inPassing = (work: Promise<void>): void =>
    void work.catch((error) => log.warn({ err: error }, 'the last use of a session or token could not be noted'))

  const ofCookie = async (secret: string, isPersons: boolean): Promise<OfSession | null> => {
    const found = await store.operatorSession(secretHash(secret))
    const now = clock.now()
    if (found === null || hasEnded(found.session, now)) return null
    const { session, operator } = found
    if (isPersons && now - session.seenAt >= SEEN_EVERY_MS) inPassing(store.sessionSeen(session.id, now))
    const { id, name, login, role, applications } = operator
    const { expiresAt } = session
    return { actor: { kind: 'operator', id, name }, grant: { role, applications }, login, session, expiresAt }
  }

  const ofToken = async (secret: string): Promise<OperatorCaller | null> => {
    const token = await store.apiToken(secretHash(secret))
    const now = clock.now()
    if (token === null || now >= token.expiresAt) return null
    const { id, name, role, applications, usedAt, expiresAt } = token
    if (usedAt === null || Math.abs(now - usedAt) >= SEEN_EVERY_MS) inPassing(store.apiTokenUsed(id, now))
    const actor = { kind: 'token', id, name } as const
    return { actor, grant: { role, applications }, login: null, session: null, expiresAt }
  }

  /** Ends one of the caller's own sessions: signs out, or ends one that was left open in another browser. */
  const endSession = async (
    { actor, session }: Pick<OperatorCaller, 'actor' | 'session'>,
    sessionId: string,
    address: string,
  ): Promise<{ readonly ended: true } | { readonly refused: 'session_not_found' }> => {
    if (session === null) return { refused: 'session_not_found' }
    const action = sessionId === session.id ? 'session.ended' : 'session.revoked'
    const audit = entry({ at: clock.now(), actor, address, action, subject: sessionId })
    const ended = await store.endSession(session.operatorId, sessionId, audit)
    if ('ended' in ended) onSessionEnded?.()
    return ended
  }

  return {
    /** Epoch ms. */
    now: () => clock.now(),

    /** `isPersons`: a person acted. Requests that a page makes on its own do not keep a session alive. */
    of: ({ kind, secret }: Proof, { isPersons }: { readonly isPersons: boolean }): Promise<OperatorCaller | null> =>
      kind === 'cookie' ? ofCookie(secret, isPersons) : ofToken(secret),

    /** Ends the session that a browser had before it signed in again. */
    async endEarlier(proof: Proof, address: string): Promise<void> {
      const earlier = await ofCookie(proof.secret, false)
      if (earlier !== null) await endSession(earlier, earlier.session.id, address)
    },

    /** The caller's own sessions that have not ended, most recently used first. */
    async sessions({ session }: OperatorCaller): Promise<readonly OperatorSession[]> {
      if (session === null) return []
      const now = clock.now()
      return (await store.operatorSessions(session.operatorId)).filter((one) => !hasEnded(one, now))
    },

    endSession,
  }
}
