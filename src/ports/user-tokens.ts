import type { Session } from '../core/account/session.ts'

/** Short-lived tokens in the user's own name, used in addition to the user hash. access.md#user-tokens. */
export type UserTokens = {
  /** `expiresAt`: ISO 8601. */
  issue(session: Session): Promise<{ readonly token: string; readonly expiresAt: string }>
  /** Whether `token` was issued by this installation to this user and has not expired. */
  isValid(token: string, session: Session): Promise<boolean>
}
