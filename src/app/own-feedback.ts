import { isoAt } from '../core/event-time.ts'
import type { FeedbackInput } from '../core/feedback.ts'
import type { Session } from '../core/session.ts'
import type { Clock } from '../ports/clock.ts'
import type { FeedbackStore } from '../ports/device-store.ts'
import type { Ids } from '../ports/ids.ts'
import type { UserTokens } from '../ports/user-tokens.ts'

/** In-app feedback: the user hash alone is insufficient, it takes a user token too. Spec, Behaviour notes 6. */
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

  /** `token`: what came in `X-User-Token`, or null. */
  async submit(
    session: Session,
    token: string | null,
    { message, category, rating }: FeedbackInput,
  ): Promise<{ readonly id: string; readonly createdAt: string } | { readonly refused: 'bad_user_token' }> {
    if (token === null || !(await tokens.isValid(token, session))) return { refused: 'bad_user_token' }
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
