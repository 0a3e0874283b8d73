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
import type { VerificationDue, VerificationStore } from '../../../../ports/store.ts'
import { CONTACTS } from '../../shared/accounts.ts'
import { asksFor } from '../../shared/enrolments.ts'
import { LINKS, type LinkRow, linkOf } from '../../shared/verifications.ts'
import type { ReadsOf } from '../../shared/writes.ts'
import type { Reader } from '../engine/reader.ts'
import { insertSql, updateSql } from '../engine/row.ts'
import { lockNumber, lockOwner, type Transaction, writesOf } from '../engine/write.ts'

const CONTACT = `${CONTACTS} WHERE id = $1 AND user_id = $2`
const OWN = 'SELECT phone, requested_at AS "requestedAt" FROM verifications WHERE user_id = $1'
/** Two users who name one number at the same time take turns. The lock ends with the transaction. */
const COUNTED = `SELECT
    EXISTS (
      SELECT 1 FROM verifications JOIN users AS others ON others.id = user_id
      WHERE verifications.phone = $1 AND requested_at > $2 AND user_id <> $3 AND NOT withheld AND ${asksFor('$3')}
    ) AS "isAskedByOthers",
    (SELECT count(*) FROM (SELECT 1 FROM verifications WHERE requested_at > $2 LIMIT $4) AS recent) AS requests,
    (SELECT count(*) FROM (
      SELECT 1 FROM verifications JOIN users ON users.id = user_id
      WHERE requested_at > $2 AND app_id = (SELECT app_id FROM users WHERE id = $3) LIMIT $5
    ) AS own) AS "ofApplication",
    (SELECT CASE WHEN invitation_id IS NULL THEN NULL ELSE (
      SELECT count(*) FROM (
        SELECT 1 FROM verifications JOIN users AS others ON others.id = verifications.user_id
        WHERE requested_at > $2 AND others.invitation_id = users.invitation_id LIMIT ${PER_INVITATION_DAY}
      ) AS same) END FROM users WHERE id = $3) AS "ofInvitation"`
const INSERT = insertSql('verifications')
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
const LINK = `${LINKS} WHERE token = $1`
const ASKED = 'SELECT user_id AS "userId", phone, requested_at AS "requestedAt" FROM verifications WHERE token = $1'
const ASKED_CONTACT = `${CONTACTS} WHERE id = (SELECT contact_id FROM verifications WHERE token = $1)`
const UPDATE = updateSql('contacts')

type Counted = Pick<VerificationSituation, 'isAskedByOthers' | 'requests' | 'ofApplication' | 'ofInvitation'>
const NOTHING_ASKED = { own: [], isAskedByOthers: false, requests: 0, ofApplication: 0, ofInvitation: null } as const

/** Locks the user, then the number; neither if the contact is verified already. */
async function loadRequest(
  transaction: Transaction,
  { userId, contactId }: Pick<Verification, 'userId' | 'contactId'>,
  { now, perDay }: VerificationAsked,
): Promise<VerificationSituation> {
  const { connection } = transaction
  const [known] = await connection.rows<Contact>(CONTACT, [contactId, userId])
  if (known === undefined || known.verifiedAt !== null) return { ...NOTHING_ASKED, contact: known ?? null }
  await lockOwner(transaction, userId)
  const [contact] = await connection.rows<Contact>(CONTACT, [contactId, userId])
  if (contact === undefined) return { ...NOTHING_ASKED, contact: null }
  await lockNumber(transaction, contact.phone)
  const [own, [counted]] = await Promise.all([
    connection.rows<VerificationRequest>(OWN, [userId]),
    connection.rows<Counted>(COUNTED, [contact.phone, now - DAY, userId, perDay, shareOf(perDay)]),
  ])
  return { contact, own, ...counted! }
}

/** Locks the user who asked. */
async function loadAnswer(transaction: Transaction, token: string): Promise<AskedContact | null> {
  const { connection } = transaction
  const [request] = await connection.rows<{ userId: string }>(ASKED, [token])
  if (request === undefined) return null
  await lockOwner(transaction, request.userId)
  const [[asked], [contact]] = await Promise.all([
    connection.rows<Omit<AskedContact, 'contact'>>(ASKED, [token]),
    connection.rows<Contact>(ASKED_CONTACT, [token]),
  ])
  return asked === undefined ? null : { ...asked, contact: contact ?? null }
}

async function save(
  { connection }: Transaction,
  { insert, update }: { readonly insert?: Verification; readonly update?: Contact },
): Promise<void> {
  if (insert !== undefined) await connection.run(INSERT, [JSON.stringify([insert])])
  if (update !== undefined) await connection.run(UPDATE, [JSON.stringify([update])])
}

export const verificationWrites = writesOf<VerificationStore>()({
  requestVerification: {
    moment: (_userId, _contactId, { now }) => now,
    sender: (userId) => userId,
    async run(transaction, userId, contactId, request) {
      const decided = decideRequestVerification(await loadRequest(transaction, { userId, contactId }, request), request)
      if ('refused' in decided) return decided
      await save(transaction, decided)
      return decided.result
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
      return { token, requestedAt, appId, userId, contact }
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
      const decided = decideAnswerVerification(await loadAnswer(transaction, token), answer, now)
      if ('refused' in decided) return decided
      await save(transaction, decided)
      return decided.result
    },
  },
})

export const verificationReads = ({ row }: Reader): ReadsOf<VerificationStore> => ({
  async verification(token) {
    const found = await row<LinkRow>(LINK, [token])
    return found && linkOf(found)
  },
})
