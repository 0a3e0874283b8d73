import { entry, type KnownActor } from '../../core/operator/audit.ts'
import type { Grant } from '../../core/operator/role.ts'
import { secretHash } from '../../core/operator/secret.ts'
import { hasEnded, type OperatorSession, SEEN_EVERY_MS } from '../../core/operator/session.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { OperatorStore } from '../../ports/operator-store.ts'

/** Who makes a request of the operator API, and what they may do. `session`: null for an API token. */
type OperatorCaller = {
  readonly actor: KnownActor
  readonly grant: Grant
  readonly session: OperatorSession | null
}

type Parts = {
  readonly store: Pick<OperatorStore, 'session' | 'sessionSeen' | 'token' | 'tokenUsed' | 'sessions' | 'endSession'>
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
}

/**
 * Who a cookie or a token belongs to, read from the store with each request: a revoked one ends with the next request,
 * on every node. Null: unknown, ended, revoked, or its operator is disabled. Rejects only with a StoreError.
 */
export function operatorCallers({ store, clock, log }: Parts) {
  /** A request is answered although the store could not note that it was made. */
  const inPassing = (work: Promise<void>): void =>
    void work.catch((error) => log.warn({ err: error }, 'the last use of a session or token could not be noted'))

  return {
    /** `isPersons`: somebody did something. What a page asks for by itself keeps no session alive. */
    async ofCookie(secret: string, { isPersons }: { readonly isPersons: boolean }): Promise<OperatorCaller | null> {
      const found = await store.session(secretHash(secret))
      const now = clock.now()
      if (found === null || hasEnded(found.session, now)) return null
      const { session, operator } = found
      if (isPersons && now - session.seenAt >= SEEN_EVERY_MS) inPassing(store.sessionSeen(session.id, now))
      const { id, name, role, applications } = operator
      return { actor: { kind: 'operator', id, name }, grant: { role, applications }, session }
    },

    async ofToken(secret: string): Promise<OperatorCaller | null> {
      const token = await store.token(secretHash(secret))
      const now = clock.now()
      if (token === null || now >= token.expiresAt) return null
      const { id, name, role, applications, usedAt } = token
      if (usedAt === null || Math.abs(now - usedAt) >= SEEN_EVERY_MS) inPassing(store.tokenUsed(id, now))
      return { actor: { kind: 'token', id, name }, grant: { role, applications }, session: null }
    },

    /** The caller's own sessions that have not ended, used last first. */
    async sessions({ session }: OperatorCaller): Promise<readonly OperatorSession[]> {
      if (session === null) return []
      const now = clock.now()
      return (await store.sessions(session.operatorId)).filter((one) => !hasEnded(one, now))
    },

    /** Ends one of the caller's own sessions: signs out, or puts out a browser that was left somewhere. */
    async endSession(
      { actor, session }: OperatorCaller,
      sessionId: string,
      address: string,
    ): Promise<{ readonly ended: true } | { readonly refused: 'session_not_found' }> {
      if (session === null) return { refused: 'session_not_found' }
      const action = sessionId === session.id ? 'session.ended' : 'session.revoked'
      const audit = entry({ at: clock.now(), actor, address, action, subject: sessionId })
      return store.endSession(session.operatorId, sessionId, audit)
    },
  }
}
