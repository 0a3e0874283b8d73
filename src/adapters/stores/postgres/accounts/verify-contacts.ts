import {
  LINK_MS,
  shareOf,
  type VerificationRequest,
  verificationOf,
  WAITING_MS,
} from '../../../../core/account/verification.ts'
import { DAY } from '../../../../lib/durations.ts'
import type { Store, VerificationDue, VerificationLink, VerificationStore } from '../../../../ports/store.ts'
import type { Reader } from '../engine/reader.ts'
import { lockOwner, writesOf } from '../engine/write.ts'

type LinkRow = Omit<VerificationLink, 'answer'> & {
  readonly contactId: string
  readonly verifiedAt: number | null
  readonly declinedAt: number | null
}

const CONTACT = 'SELECT phone, verified_at AS "verifiedAt" FROM contacts WHERE id = $1 AND user_id = $2'
const OWN = 'SELECT phone, requested_at AS "requestedAt" FROM verifications WHERE user_id = $1'
/** Two users who name one number at the same time take turns. The lock ends with the transaction. */
const LOCK_NUMBER = 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))'
const LIMITS = `SELECT
    EXISTS (
      SELECT 1 FROM verifications WHERE phone = $1 AND requested_at > $2 AND user_id <> $3 AND NOT withheld
    ) AS "isAskedByOthers",
    (SELECT count(*) FROM (SELECT 1 FROM verifications WHERE requested_at > $2 LIMIT $4) AS recent) AS requests`
const OF_APPLICATION = `SELECT count(*) AS requests FROM (
    SELECT 1 FROM verifications JOIN users ON users.id = user_id
    WHERE requested_at > $1 AND app_id = (SELECT app_id FROM users WHERE id = $2) LIMIT $3
  ) AS own`
const INSERT = `INSERT INTO verifications (token, user_id, contact_id, phone, requested_at, withheld)
  VALUES ($1, $2, $3, $4, $5, $6)`
/** Only if the contact is unchanged: one who was removed or has another number is not asked. */
const CLAIM = `WITH next AS (
    SELECT token, requested_at, users.app_id, asked.user_id, contacts.id, contacts.phone, language
    FROM verifications AS asked
      JOIN contacts ON contacts.id = contact_id AND contacts.phone = asked.phone
      JOIN users ON users.id = asked.user_id
    WHERE sent_at IS NULL AND NOT withheld AND requested_at > $2 AND verified_at IS NULL
      AND (requested_at, token) > ($3::bigint, $4::text)
    ORDER BY requested_at, token LIMIT 1 FOR UPDATE OF asked SKIP LOCKED
  )
  UPDATE verifications SET sent_at = $1 FROM next WHERE verifications.token = next.token
  RETURNING next.token, next.requested_at AS "requestedAt", next.app_id AS "appId", next.user_id AS "userId", next.id, next.phone, next.language`
const LINK = `SELECT users.app_id AS "appId", asked.user_id AS "userId", contact_id AS "contactId",
    requested_at AS "requestedAt", coalesce(contacts.phone = asked.phone, false) AS "isCurrent",
    coalesce(language, '') AS language, verified_at AS "verifiedAt", declined_at AS "declinedAt"
  FROM verifications AS asked JOIN users ON users.id = asked.user_id LEFT JOIN contacts ON contacts.id = contact_id
  WHERE token = $1`
const ANSWER = `UPDATE contacts SET verified_at = $2, declined_at = $3,
    stopped_at = CASE WHEN $2::bigint IS NULL THEN stopped_at END
  WHERE id = $1`

export const verificationWrites = writesOf<VerificationStore>()({
  requestVerification: {
    moment: (_userId, _contactId, { now }) => now,
    sender: (userId) => userId,
    async run(transaction, userId, contactId, { token, now, perDay }) {
      const { connection } = transaction
      await lockOwner(transaction, userId)
      const [contact] = await connection.rows<{ phone: string; verifiedAt: number | null }>(CONTACT, [
        contactId,
        userId,
      ])
      if (contact === undefined) return { refused: 'contact_not_found' }
      if (contact.verifiedAt !== null) return { verdict: 'verified' }
      const { phone } = contact
      await connection.rows(LOCK_NUMBER, [phone])
      const [own, [limits]] = await Promise.all([
        connection.rows<VerificationRequest>(OWN, [userId]),
        connection.rows<{ isAskedByOthers: boolean; requests: number }>(LIMITS, [phone, now - DAY, userId, perDay]),
      ])
      const { isAskedByOthers, requests } = limits!
      const site = { requests: Number(requests), max: perDay }
      const [share] =
        site.requests < perDay
          ? []
          : await connection.rows<{ requests: number }>(OF_APPLICATION, [now - DAY, userId, shareOf(perDay)])
      const ofApplication = () => Number(share?.requests ?? 0)
      const verdict = verificationOf({ phone, now, own, isAskedByOthers, site, ofApplication })
      if (typeof verdict === 'object') return verdict
      await connection.run(INSERT, [token, userId, contactId, phone, now, verdict === 'withheld'])
      return { verdict }
    },
  },
  claimVerification: {
    moment: (now) => now,
    async run({ connection }, now, after) {
      const [due] = await connection.rows<VerificationDue['contact'] & Omit<VerificationDue, 'contact'>>(CLAIM, [
        now,
        now - WAITING_MS,
        after?.requestedAt ?? Number.MIN_SAFE_INTEGER,
        after?.token ?? '',
      ])
      if (due === undefined) return null
      const { token, requestedAt, appId, userId, ...contact } = due
      return { token, requestedAt: Number(requestedAt), appId, userId, contact }
    },
  },
  releaseVerification: {
    async run({ connection }, token) {
      await connection.run('UPDATE verifications SET sent_at = NULL WHERE token = $1', [token])
    },
  },
  answerVerification: {
    moment: (_token, _answer, now) => now,
    sender: (token) => token,
    async run(transaction, token, answer, now) {
      const { connection } = transaction
      const [asked] = await connection.rows<LinkRow>(LINK, [token])
      if (asked === undefined) return { refused: 'unknown_link' }
      await lockOwner(transaction, asked.userId)
      const [found] = await connection.rows<LinkRow>(LINK, [token])
      if (found === undefined) return { refused: 'unknown_link' }
      if (!found.isCurrent || now - found.requestedAt >= LINK_MS) return { refused: 'link_expired' }
      const isConfirmed = answer === 'confirmed'
      await connection.run(ANSWER, [found.contactId, isConfirmed ? now : null, isConfirmed ? null : now])
      return { answered: true }
    },
  },
})

export const verificationReads = ({ row }: Reader): Pick<Store, 'verification'> => ({
  async verification(token) {
    const found = await row<LinkRow>(LINK, [token])
    if (found === null) return null
    const { verifiedAt, declinedAt, contactId: _, ...link } = found
    return { ...link, answer: verifiedAt !== null ? 'confirmed' : declinedAt !== null ? 'declined' : null }
  },
})
