import { LINK_MS, shareOf, verificationOf, WAITING_MS } from '../../../../core/account/verification.ts'
import { DAY } from '../../../../lib/durations.ts'
import type { VerificationDue, VerificationLink, VerificationStore } from '../../../../ports/store.ts'
import type { SqliteDatabase } from '../engine/database.ts'
import { type WriteContext, writesOf } from '../engine/write.ts'

type LinkRow = Omit<VerificationLink, 'answer' | 'isCurrent'> & {
  readonly contactId: string
  readonly isCurrent: 0 | 1
  readonly verifiedAt: number | null
  readonly declinedAt: number | null
}

const LINK = `SELECT users.app_id AS appId, asked.user_id AS userId, contact_id AS contactId, requested_at AS requestedAt,
    contacts.phone IS asked.phone AS isCurrent, coalesce(language, '') AS language,
    verified_at AS verifiedAt, declined_at AS declinedAt
  FROM verifications AS asked JOIN users ON users.id = asked.user_id LEFT JOIN contacts ON contacts.id = contact_id
  WHERE token = ?`

type Answered = {
  readonly verifiedAt: number | null
  readonly declinedAt: number | null
  readonly contactId: string
}

function verificationRows({ db }: WriteContext) {
  const contactOf = db.prepare<[string, string], { phone: string; verified_at: number | null }>(
    'SELECT phone, verified_at FROM contacts WHERE id = ? AND user_id = ?',
  )
  const own = db.prepare<[string], { phone: string; requestedAt: number }>(
    'SELECT phone, requested_at AS requestedAt FROM verifications WHERE user_id = ?',
  )
  const others = db
    .prepare<[string, number, string], number>(
      `SELECT EXISTS (SELECT 1 FROM verifications
       WHERE phone = ? AND requested_at > ? AND user_id <> ? AND withheld = 0)`,
    )
    .pluck()
  const recent = db
    .prepare<[number, number], number>(
      'SELECT count(*) FROM (SELECT 1 FROM verifications WHERE requested_at > ? LIMIT ?)',
    )
    .pluck()
  const insert = db.prepare<[string, string, string, string, number, number]>(
    `INSERT INTO verifications (token, user_id, contact_id, phone, requested_at, withheld) VALUES (?, ?, ?, ?, ?, ?)`,
  )
  // Only if the contact is unchanged: one who was removed or has another number is not asked.
  const next = db.prepare<[number, number, string], VerificationDue['contact'] & Omit<VerificationDue, 'contact'>>(
    `SELECT token, requested_at AS requestedAt, users.app_id AS appId, asked.user_id AS userId,
       contacts.id, contacts.phone, language
     FROM verifications AS asked INDEXED BY verifications_to_send
       JOIN contacts ON contacts.id = contact_id AND contacts.phone = asked.phone
       JOIN users ON users.id = asked.user_id
     WHERE sent_at IS NULL AND withheld = 0 AND requested_at > ? AND verified_at IS NULL
       AND (requested_at, token) > (?, ?)
     ORDER BY requested_at, token LIMIT 1`,
  )
  const setSent = db.prepare<[number | null, string]>('UPDATE verifications SET sent_at = ? WHERE token = ?')
  const link = db.prepare<[string], LinkRow>(LINK)
  const setAnswer = db.prepare<[Answered]>(
    `UPDATE contacts SET verified_at = @verifiedAt, declined_at = @declinedAt,
       stopped_at = iif(@verifiedAt IS NULL, stopped_at, NULL) WHERE id = @contactId`,
  )
  const ofApplication = db
    .prepare<[number, string, number], number>(
      `SELECT count(*) FROM (
         SELECT 1 FROM verifications JOIN users ON users.id = user_id
         WHERE requested_at > ? AND app_id = (SELECT app_id FROM users WHERE id = ?) LIMIT ?
       )`,
    )
    .pluck()
  return { contactOf, own, others, recent, ofApplication, insert, next, setSent, link, setAnswer }
}

export const verificationWrites = writesOf<VerificationStore>()(verificationRows, {
  requestVerification: {
    reserve: 'spares',
    moment: (_userId, _contactId, { now }) => now,
    sender: (userId) => userId,
    run(rows, userId, contactId, { token, now, perDay }) {
      const contact = rows.contactOf.get(contactId, userId)
      if (contact === undefined) return { refused: 'contact_not_found' }
      if (contact.verified_at !== null) return { verdict: 'verified' }
      const { phone } = contact
      const verdict = verificationOf({
        phone,
        now,
        own: rows.own.all(userId),
        isAskedByOthers: rows.others.get(phone, now - DAY, userId) === 1,
        site: { requests: rows.recent.get(now - DAY, perDay) ?? 0, max: perDay },
        ofApplication: () => rows.ofApplication.get(now - DAY, userId, shareOf(perDay)) ?? 0,
      })
      if (typeof verdict === 'object') return verdict
      rows.insert.run(token, userId, contactId, phone, now, verdict === 'withheld' ? 1 : 0)
      return { verdict }
    },
  },
  claimVerification: {
    moment: (now) => now,
    run({ next, setSent }, now, after) {
      const due = next.get(now - WAITING_MS, after?.requestedAt ?? Number.MIN_SAFE_INTEGER, after?.token ?? '')
      if (due === undefined) return null
      const { token, requestedAt, appId, userId, ...contact } = due
      setSent.run(now, token)
      return { token, requestedAt, appId, userId, contact }
    },
  },
  releaseVerification: {
    run: ({ setSent }, token) => void setSent.run(null, token),
  },
  answerVerification: {
    moment: (_token, _answer, now) => now,
    sender: (token) => token,
    run({ link, setAnswer }, token, answer, now) {
      const found = link.get(token)
      if (found === undefined) return { refused: 'unknown_link' }
      if (!found.isCurrent || now - found.requestedAt >= LINK_MS) return { refused: 'link_expired' }
      const { contactId } = found
      if (answer === 'confirmed') setAnswer.run({ verifiedAt: now, declinedAt: null, contactId })
      else setAnswer.run({ verifiedAt: null, declinedAt: now, contactId })
      return { answered: true }
    },
  },
})

export function verificationReads(db: SqliteDatabase) {
  const link = db.prepare<[string], LinkRow>(LINK)
  return {
    verification(token: string): VerificationLink | null {
      const row = link.get(token)
      if (row === undefined) return null
      const { verifiedAt, declinedAt, contactId: _, isCurrent, ...found } = row
      const answer = verifiedAt !== null ? 'confirmed' : declinedAt !== null ? 'declined' : null
      return { ...found, isCurrent: isCurrent === 1, answer }
    },
  }
}
