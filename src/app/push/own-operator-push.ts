import { isoAt, isoOrNull } from '../../core/ingest/event-time.ts'
import { MAX_OPERATOR_PUSHES, type OperatorPush } from '../../core/operator/operator-push.ts'
import type { Clock } from '../../ports/clock.ts'
import type { PushKeys } from '../../ports/push-sender.ts'
import type { OperatorPushStore } from '../../ports/store.ts'
import type { OperatorCaller } from '../operator/callers.ts'
import type { testQuota } from '../operator/test-quota.ts'
import type { OperatorPushes } from './operator-pushes.ts'
import { type Subscribing, subscribingProblems } from './subscribing.ts'

type Needs = {
  readonly store: OperatorPushStore
  readonly keys: () => Promise<PushKeys | null>
  readonly isBlockedHost: (host: string) => boolean
  readonly clock: Pick<Clock, 'now'>
  readonly pushes: Pick<OperatorPushes, 'test'>
  readonly quota: ReturnType<typeof testQuota>
  /** There is a subscription now. */
  readonly wanted: () => void
}

type Own = Pick<OperatorCaller, 'session'>
const NOT_FOR_TOKENS = { refused: 'not_for_tokens' } as const
const NONE = { refused: 'push_not_found' } as const

/** Web Push to the browser of an operator's session. access.md#operator-push. */
export function ownOperatorPush({ store, keys, isBlockedHost, clock, pushes, quota, wanted }: Needs) {
  const found = async ({ id, operatorId }: NonNullable<Own['session']>): Promise<OperatorPush | null> =>
    (await store.operatorPushes(operatorId)).find(({ sessionId }) => sessionId === id) ?? null

  async function view(session: NonNullable<Own['session']>) {
    const own = await found(session)
    const { publicKey = null } = (await keys()) ?? {}
    if (own === null) return { publicKey, subscription: null }
    const { language, wholeText, keptAt, sentAt, failedAt, failure } = own
    const moments = { keptAt: isoAt(keptAt), sentAt: isoOrNull(sentAt), failedAt: isoOrNull(failedAt) }
    return { publicKey, subscription: { language, wholeText, ...moments, failure } }
  }

  return {
    read: async ({ session }: Own) => (session === null ? NOT_FOR_TOKENS : view(session)),

    async subscribe({ session }: Own, subscribing: Subscribing) {
      if (session === null) return NOT_FOR_TOKENS
      const fields = subscribingProblems(subscribing, isBlockedHost)
      if (fields.length > 0) return { refused: 'invalid', fields } as const
      if ((await keys()) === null) return { refused: 'push_unavailable' } as const
      const { endpoint, language, wholeText, keys: own } = subscribing
      const { id: sessionId, operatorId } = session
      const target = { ...{ endpoint, p256dh: own.p256dh, auth: own.auth }, sessionId, operatorId }
      const push = { ...target, language, wholeText, keptAt: clock.now() }
      const kept = await store.keepOperatorPush(push, MAX_OPERATOR_PUSHES)
      // A session that has just ended.
      if ('refused' in kept)
        return kept.refused === 'push_limit' ? ({ refused: 'push_limit' } as const) : NOT_FOR_TOKENS
      wanted()
      return view(session)
    },

    async unsubscribe({ session }: Own) {
      if (session === null) return NOT_FOR_TOKENS
      await store.removeOperatorPush(session.id, null)
      return null
    },

    async test({ session }: Own) {
      if (session === null) return NOT_FOR_TOKENS
      const own = await found(session)
      if (own === null) return NONE
      const retryAfterMs = quota.take(session.operatorId)
      if (retryAfterMs !== null) return { refused: 'too_many_tests', retryAfterMs } as const
      const outcome = await pushes.test(own)
      return outcome === 'unavailable' ? ({ refused: 'push_unavailable' } as const) : { outcome }
    },
  }
}
