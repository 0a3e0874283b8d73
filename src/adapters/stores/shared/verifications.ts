import type { VerificationLink } from '../../../ports/store.ts'

/** `isCurrent`: as each database has booleans. */
export type LinkRow = Omit<VerificationLink, 'answer' | 'isCurrent'> & {
  readonly isCurrent: boolean | 0 | 1
  readonly verifiedAt: number | null
  readonly declinedAt: number | null
}

export const LINKS = `SELECT users.app_id AS "appId", asked.user_id AS "userId", requested_at AS "requestedAt",
    coalesce(contacts.phone = asked.phone, false) AS "isCurrent", coalesce(language, '') AS language,
    verified_at AS "verifiedAt", declined_at AS "declinedAt"
  FROM verifications AS asked JOIN users ON users.id = asked.user_id LEFT JOIN contacts ON contacts.id = contact_id`

export const linkOf = ({ isCurrent, verifiedAt, declinedAt, ...link }: LinkRow): VerificationLink => ({
  ...link,
  isCurrent: Boolean(isCurrent),
  answer: verifiedAt !== null ? 'confirmed' : declinedAt !== null ? 'declined' : null,
})
