import type { Session } from '../core/account/session.ts'

/** Short-lived tokens in a user's own name, beside the user hash. rules.md#user-tokens. */
export type UserTokens = {
  /** `expiresAt`: ISO 8601. */
  issue(session: Session): Promise<{ readonly token: string; readonly expiresAt: string }>
  /** Whether `token` was issued here to this very user and has not expired. */
  isValid(token: string, session: Session): Promise<boolean>
}
