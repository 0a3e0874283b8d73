import type { Finding } from '../../core/readiness/findings.ts'
import { findingText } from '../../core/readiness/text.ts'
import type { UserReadiness } from './user-readiness.ts'

/** A finding as programs and people read it. `languages`: BCP 47, in order of preference. */
const findingView = (finding: Finding, languages: readonly string[]) => {
  const { code, isBlocking, contact, days, percent } = finding
  return {
    code,
    blocking: isBlocking,
    ...(contact !== undefined && { contactId: contact.id }),
    ...(days !== undefined && { days }),
    ...(percent !== undefined && { percent }),
    ...findingText(finding, languages),
  }
}

/** protocol.md#readiness. */
export const readinessView = ({ status, findings }: Omit<UserReadiness, 'user'>, languages: readonly string[]) => ({
  status,
  findings: findings.map((finding) => findingView(finding, languages)),
})

/** The same for operators, who see many users. */
export const userReadinessView = (one: UserReadiness, languages: readonly string[]) => ({
  userId: one.user.id,
  applicationId: one.user.appId,
  externalUserId: one.user.externalUserId,
  name: one.user.name,
  phone: one.user.phone,
  ...readinessView(one, languages),
})
