import type { PushFailure } from '../core/account/push-subscription.ts'
import type { NewOperatorPush, OperatorPush } from '../core/operator/operator-push.ts'

type Target = Pick<OperatorPush, 'sessionId' | 'endpoint'>

/** Web Push to operators: one subscription a session, which ends with it. access.md#operator-push. */
export type OperatorPushStore = {
  /** Of an operator, or of all: null. */
  operatorPushes(operatorId: string | null): Promise<readonly OperatorPush[]>
  /** Replaces that of the session, and takes the endpoint from any other session: one browser has signed in again. */
  keepOperatorPush(
    push: NewOperatorPush,
    limit: number,
  ): Promise<{ readonly kept: true } | { readonly refused: 'session_not_found' | 'push_limit' }>
  /** `endpoint` null: any. */
  removeOperatorPush(sessionId: string, endpoint: string | null): Promise<void>
  /** The end of a push, at `at`. `failure` null: the push service accepted it. */
  noteOperatorPush(target: Target, end: { readonly failure: PushFailure | null; readonly at: number }): Promise<void>
}
