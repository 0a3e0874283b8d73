import { entry } from '../../core/operator/audit.ts'
import type { SignInProof } from '../../core/operator/decide-operator.ts'
import type { Operator } from '../../core/operator/operator.ts'
import { secretHash } from '../../core/operator/secret.ts'
import { MAX_SESSIONS, newSession, type OperatorSession } from '../../core/operator/session.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Ids } from '../../ports/ids.ts'
import type { Log } from '../../ports/log.ts'
import type { OperatorStore } from '../../ports/operator-store.ts'

/** The address of a request, and the browser's name for itself. */
export type Visitor = { readonly address: string; readonly browser: string }

export type SignInRefused =
  | { readonly refused: 'sign_in_refused' }
  | { readonly refused: 'too_many_attempts'; readonly retryAfterMs: number }

/**
 * Refuses a sign-in, and notes why. Does not wait for the log: the response time would reveal which logins exist.
 */
export const refusingSignIns =
  ({
    store,
    clock,
    log,
  }: {
    readonly store: Pick<OperatorStore, 'addAuditRow'>
    readonly clock: Pick<Clock, 'now'>
    readonly log: Log
  }) =>
  (operator: Operator | null, why: string, { address }: Visitor): SignInRefused => {
    log.warn({ operatorId: operator?.id ?? null, why }, 'a sign-in to the console was refused')
    if (operator !== null) {
      // An unknown login is never recorded: people type passwords there.
      const actor = { kind: 'stranger', id: null, name: operator.login } as const
      const about = { action: 'session.refused', subject: operator.id, details: { why } } as const
      const noted = entry({ at: clock.now(), actor, address, ...about })
      void store.addAuditRow(noted).catch((error) => log.error({ err: error }, 'a refused sign-in could not be noted'))
    }
    return { refused: 'sign_in_refused' }
  }

/** Opens the session of an operator who has proved who they are. `how`: for the audit log. */
export const openingSession =
  ({
    store,
    ids,
  }: {
    readonly store: Pick<OperatorStore, 'openSession'>
    readonly ids: Pick<Ids, 'uuid' | 'secret'>
  }) =>
  async (
    { id: operatorId, name }: Pick<Operator, 'id' | 'name'>,
    proof: SignInProof,
    { visitor, how, now }: { readonly visitor: Visitor; readonly how: string; readonly now: number },
  ): Promise<
    | { readonly secret: string; readonly session: OperatorSession }
    | { readonly refused: 'credentials_changed' | 'code_used' }
  > => {
    const secret = ids.secret()
    const session = newSession({ id: ids.uuid(), operatorId, now, ...visitor })
    const actor = { kind: 'operator', id: operatorId, name } as const
    const { address } = visitor
    const about = { action: 'session.opened', subject: session.id, details: { with: how } } as const
    const audit = entry({ at: now, actor, address, ...about })
    const opened = await store.openSession({ ...session, hash: secretHash(secret) }, proof, MAX_SESSIONS, audit)
    return 'refused' in opened ? opened : { secret, session }
  }
