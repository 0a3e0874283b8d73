import type { Contact } from '../../../../core/account/contact.ts'
import {
  type AskedContact,
  decideAnswerVerification,
  decideRequestVerification,
  type Verification,
  type VerificationAsked,
  type VerificationSituation,
} from '../../../../core/account/decide-verification.ts'
import {
  PER_INVITATION_DAY,
  shareOf,
  type VerificationRequest,
  WAITING_MS,
} from '../../../../core/account/verification.ts'
import { DAY } from '../../../../lib/durations.ts'
import type { VerificationDue, VerificationLink, VerificationStore } from '../../../../ports/store.ts'
import { CONTACTS } from '../../shared/accounts.ts'
import { asksFor } from '../../shared/enrolments.ts'
import { LINKS, type LinkRow, linkOf } from '../../shared/verifications.ts'
import type { SqliteDatabase } from '../engine/database.ts'
import { insertSql, type Row, toRow, updateSql } from '../engine/row.ts'
import { type WriteContext, writesOf } from '../engine/write.ts'

type Counting = Readonly<Record<'phone' | 'userId', string> & Record<'since' | 'perDay' | 'share', number>>
type Counted = { readonly isAskedByOthers: 0 | 1 } & Pick<
  VerificationSituation,
  'requests' | 'ofApplication' | 'ofInvitation'
>

const NO_CONTACT = {
  contact: null,
  own: [],
  isAskedByOthers: false,
  requests: 0,
  ofApplication: 0,
  ofInvitation: null,
} as const

function verificationRows({ db }: WriteContext) {
  const contactOf = db.prepare<[string, string], Contact>(`${CONTACTS} WHERE id = ? AND user_id = ?`)
  const own = db.prepare<[string], VerificationRequest>(
    'SELECT phone, requested_at AS requestedAt FROM verifications WHERE user_id = ?',
  )
  // CROSS JOIN: from the requests of a day to their users, not from all users of the application to their requests.
  const counted = db.prepare<[Counting], Counted>(
    `SELECT
       EXISTS (
         SELECT 1 FROM verifications CROSS JOIN users AS others ON others.id = user_id
         WHERE verifications.phone = @phone AND requested_at > @since AND user_id <> @userId AND withheld = 0
           AND ${asksFor('@userId')}
       ) AS isAskedByOthers,
       (SELECT count(*) FROM (SELECT 1 FROM verifications WHERE requested_at > @since LIMIT @perDay)) AS requests,
       (SELECT count(*) FROM (
         SELECT 1 FROM verifications CROSS JOIN users ON users.id = user_id
         WHERE requested_at > @since AND app_id = (SELECT app_id FROM users WHERE id = @userId) LIMIT @share
       )) AS ofApplication,
       (SELECT CASE WHEN invitation_id IS NULL THEN NULL ELSE (
         SELECT count(*) FROM (
           SELECT 1 FROM verifications CROSS JOIN users AS others ON others.id = verifications.user_id
           WHERE requested_at > @since AND others.invitation_id = users.invitation_id LIMIT ${PER_INVITATION_DAY}
         )) END FROM users WHERE id = @userId) AS ofInvitation`,
  )
  const insert = db.prepare<Row>(insertSql('verifications'))
  const rowOf = toRow<Verification>('verifications')
  const asked = db.prepare<[string], Omit<AskedContact, 'contact'>>(
    'SELECT phone, requested_at AS requestedAt FROM verifications WHERE token = ?',
  )
  const askedContact = db.prepare<[string], Contact>(
    `${CONTACTS} WHERE id = (SELECT contact_id FROM verifications WHERE token = ?)`,
  )
  const update = db.prepare<Row>(updateSql('contacts'))
  const contactRow = toRow<Contact>('contacts')
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
  return {
    next,
    setSent,

    loadRequest(userId: string, contactId: string, { now, perDay }: VerificationAsked): VerificationSituation {
      const contact = contactOf.get(contactId, userId)
      if (contact === undefined) return NO_CONTACT
      const { phone } = contact
      const { isAskedByOthers, ...counts } = counted.get({
        phone,
        since: now - DAY,
        userId,
        perDay,
        share: shareOf(perDay),
      })!
      return { contact, own: own.all(userId), isAskedByOthers: isAskedByOthers === 1, ...counts }
    },
    loadAnswer(token: string): AskedContact | null {
      const found = asked.get(token)
      return found === undefined ? null : { ...found, contact: askedContact.get(token) ?? null }
    },
    save({ insert: request, update: contact }: { readonly insert?: Verification; readonly update?: Contact }): void {
      if (request !== undefined) insert.run(rowOf(request))
      if (contact !== undefined) update.run(contactRow(contact))
    },
  }
}

export const verificationWrites = writesOf<VerificationStore>()(verificationRows, {
  requestVerification: {
    reserve: 'spares',
    moment: (_userId, _contactId, { now }) => now,
    sender: (userId) => userId,
    run({ loadRequest, save }, userId, contactId, request) {
      const decided = decideRequestVerification(loadRequest(userId, contactId, request), request)
      if ('refused' in decided) return decided
      save(decided)
      return decided.result
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
    run({ loadAnswer, save }, token, answer, now) {
      const decided = decideAnswerVerification(loadAnswer(token), answer, now)
      if ('refused' in decided) return decided
      save(decided)
      return decided.result
    },
  },
})

export function verificationReads(db: SqliteDatabase) {
  const link = db.prepare<[string], LinkRow>(`${LINKS} WHERE token = ?`)
  return {
    verification(token: string): VerificationLink | null {
      const row = link.get(token)
      return row === undefined ? null : linkOf(row)
    },
  }
}
