import type { FeedbackInput } from '../../core/account/feedback.ts'
import type { Session } from '../../core/account/session.ts'
import { isoAt } from '../../core/ingest/event-time.ts'
import type { Clock } from '../../ports/clock.ts'
import type { FeedbackStore } from '../../ports/device-store.ts'
import type { Ids } from '../../ports/ids.ts'
import type { UserTokens } from '../../ports/user-tokens.ts'

/** In-app feedback. The user hash alone is not enough: a user token is required as well. access.md#user-tokens. */
export const ownFeedback = ({
  store,
  tokens,
  clock,
  ids,
}: {
  readonly store: FeedbackStore
  readonly tokens: UserTokens
  readonly clock: Clock
  readonly ids: Ids
}) => ({
  issueToken: (session: Session) => tokens.issue(session),

  /**
   * Whether the value of `X-User-Token` (null if absent) is a token of this user. Check this before submitting
   * anything.
   */
  async accepts(session: Session, token: string | null): Promise<boolean> {
    return token !== null && (await tokens.isValid(token, session))
  },

  async submit(
    session: Session,
    { message, category, rating }: FeedbackInput,
  ): Promise<{ readonly id: string; readonly createdAt: string }> {
    const feedback = {
      id: ids.uuid(),
      userId: session.userId,
      message,
      category: category ?? null,
      rating: rating ?? null,
      createdAt: clock.now(),
    }
    await store.addFeedback(feedback)
    return { id: feedback.id, createdAt: isoAt(feedback.createdAt) }
  },
})
