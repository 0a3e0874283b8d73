import {
  CODES_PER_INVITATION,
  CODES_WITHIN_MS,
  type CodeFacts,
  decidePhoneCode,
  decideProof,
  type PhoneCode,
  type PhoneProof,
} from '../../../../core/account/phone-proof.ts'
import type { User } from '../../../../core/account/profile.ts'
import { shareOf } from '../../../../core/account/verification.ts'
import { DAY } from '../../../../lib/durations.ts'
import type { SmsAlert, SmsStore } from '../../../../ports/store.ts'
import { replacing } from '../../shared/columns.ts'
import { countsFor } from '../../shared/enrolments.ts'
import {
  isNextTalk,
  KEPT_DAYS,
  likeOf,
  MAX_ALERTS,
  MAX_FORGOTTEN,
  MAX_OF_NUMBER,
  PROOF,
  provedSql,
  SMS_ALERT,
  SMS_CODE,
  usersWithSql,
} from '../../shared/sms-sos.ts'
import type { ReadsOf } from '../../shared/writes.ts'
import type { Reader } from '../engine/reader.ts'
import { insertSql, updateSql } from '../engine/row.ts'
import { lockNumber, lockOwner, type Transaction, writesOf } from '../engine/write.ts'
import { keepRemovalTexts } from '../removals/removal-texts.ts'

type Counted = Pick<CodeFacts, 'ofNumber' | 'ofNetwork' | 'ofSite' | 'ofApplication' | 'ofInvitation'>
type Owner = { readonly phone: string | null; readonly allowedPrefixes: readonly string[] }

const OWNER = `SELECT users.phone, allowed_prefixes AS "allowedPrefixes" FROM users JOIN applications ON applications.id = app_id
  WHERE users.id = $1`
const OWN_CODES = `SELECT ${SMS_CODE} FROM phone_codes WHERE user_id = $1 AND requested_at > $2
  ORDER BY requested_at DESC, id DESC LIMIT 50`
const COUNTED = `SELECT
    (SELECT count(*) FROM phone_codes JOIN users AS others ON others.id = phone_codes.user_id
      WHERE phone_codes.phone = $1 AND requested_at > $2 AND ${countsFor('$4', '$1')})::bigint AS "ofNumber",
    (SELECT count(*) FROM phone_codes JOIN users AS others ON others.id = phone_codes.user_id
      WHERE phone_codes.phone = $1 AND requested_at > $2 AND network = $6
        AND ${countsFor('$4', '$1')})::bigint AS "ofNetwork",
    (SELECT count(*) FROM (SELECT 1 FROM phone_codes WHERE requested_at > $2 LIMIT $3) AS recent)::bigint AS "ofSite",
    (SELECT count(*) FROM (
      SELECT 1 FROM phone_codes JOIN users ON users.id = user_id
      WHERE requested_at > $2 AND app_id = (SELECT app_id FROM users WHERE id = $4) LIMIT $5
    ) AS own)::bigint AS "ofApplication",
    (SELECT CASE WHEN invitation_id IS NULL THEN NULL ELSE (
      SELECT count(*) FROM (
        SELECT 1 FROM phone_codes JOIN users AS others ON others.id = phone_codes.user_id
        WHERE requested_at > $2 AND others.invitation_id = users.invitation_id LIMIT ${CODES_PER_INVITATION}
      ) AS same) END FROM users WHERE id = $4)::bigint AS "ofInvitation"`
const FORGET_CODES = `DELETE FROM phone_codes WHERE id IN (
    SELECT id FROM phone_codes WHERE requested_at < $1 LIMIT 50 FOR UPDATE SKIP LOCKED
  )`
const PROOF_OF = `SELECT ${PROOF} FROM phone_proofs WHERE user_id = $1`
const HOLDER = `SELECT ${PROOF} FROM phone_proofs WHERE phone = $1 AND taken_at IS NULL`
const ALERT = `SELECT ${SMS_ALERT} FROM sms_alerts WHERE id = $1`
const FORGET_ALERTS = `DELETE FROM sms_alerts WHERE id IN (
    SELECT id FROM sms_alerts WHERE received_at < $1 LIMIT ${MAX_FORGOTTEN} FOR UPDATE SKIP LOCKED
  )`
const TRIM_ALERTS = `DELETE FROM sms_alerts WHERE id IN (
    SELECT id FROM (
      SELECT id FROM sms_alerts ORDER BY received_at DESC LIMIT ${MAX_FORGOTTEN} OFFSET ${MAX_ALERTS}
    ) AS oldest FOR UPDATE SKIP LOCKED
  )`
const ADD_CODE = insertSql('phone_codes')
const SAVE_CODE = updateSql('phone_codes')
const SAVE_PROOF = `${insertSql('phone_proofs')} ${replacing('phone_proofs')}`
const ADD_ALERT = `${insertSql('sms_alerts')} ON CONFLICT (id) DO NOTHING`
const SAVE_ALERT = updateSql('sms_alerts')

const save = ({ connection }: Transaction, sql: string, row: object) => connection.run(sql, [JSON.stringify([row])])

async function ownerOf(transaction: Transaction, userId: string): Promise<Owner | null> {
  await lockOwner(transaction, userId)
  const [owner] = await transaction.connection.rows<Owner>(OWNER, [userId])
  // Two users who prove one number at the same time take turns.
  if (owner?.phone != null) await lockNumber(transaction, owner.phone)
  return owner ?? null
}

export const smsWrites = writesOf<SmsStore>()({
  requestPhoneCode: {
    moment: (_userId, { now }) => now,
    sender: (userId) => userId,
    async run(transaction, userId, asked) {
      const { connection } = transaction
      const owner = await ownerOf(transaction, userId)
      if (owner === null) return { refused: 'user_not_found' }
      const { phone, allowedPrefixes } = owner
      const since = asked.now - CODES_WITHIN_MS
      await connection.run(FORGET_CODES, [since])
      const own = await connection.rows<PhoneCode>(OWN_CODES, [userId, since])
      const [counted] = await connection.rows<Counted>(COUNTED, [
        ...[phone ?? '', since, asked.perDay],
        ...[userId, shareOf(asked.perDay), asked.network],
      ])
      const decided = decidePhoneCode({ phone, allowedPrefixes, own, ...counted! }, { userId, ...asked })
      if ('refused' in decided) return decided
      await save(transaction, ADD_CODE, decided.insert)
      return { phone: decided.insert.phone }
    },
  },
  provePhone: {
    moment: (_userId, { now }) => now,
    sender: (userId) => userId,
    async run(transaction, userId, said, texts = []) {
      const { connection } = transaction
      const phone = (await ownerOf(transaction, userId))?.phone ?? null
      const [[sent], [holder], [known]] = await Promise.all([
        connection.rows<PhoneCode>(OWN_CODES, [userId, said.now - CODES_WITHIN_MS]),
        connection.rows<PhoneProof>(HOLDER, [phone ?? '']),
        connection.rows<PhoneProof>(PROOF_OF, [userId]),
      ])
      const decided = decideProof({ phone, sent: sent ?? null, holder: holder ?? null, known: known ?? null }, said)
      if ('refused' in decided) {
        if (decided.update !== null) await save(transaction, SAVE_CODE, decided.update)
        return { refused: decided.refused }
      }
      const { proof, taken, replaced } = decided
      if (taken !== null) await save(transaction, SAVE_PROOF, taken)
      await save(transaction, SAVE_PROOF, proof)
      if (replaced !== null) {
        const kept = texts.map((text) => ({ ...text, phone: replaced }))
        await keepRemovalTexts(transaction, kept)
      }
      return { proof, takenFrom: taken?.userId ?? null, replaced }
    },
  },
  changeSmsCode: {
    sender: (userId) => userId,
    async run(transaction, userId, code) {
      await lockOwner(transaction, userId)
      const [proof] = await transaction.connection.rows<PhoneProof>(PROOF_OF, [userId])
      if (proof === undefined) return { refused: 'no_proof' }
      const changed = { ...proof, code }
      await save(transaction, SAVE_PROOF, changed)
      return changed
    },
  },
  noteSmsAlert: {
    moment: ({ receivedAt }) => receivedAt,
    sender: ({ phone }) => phone,
    async run(transaction, alert) {
      const { connection } = transaction
      const [known] = await connection.rows<SmsAlert>(ALERT, [alert.id])
      if (known !== undefined) return known
      await connection.run(FORGET_ALERTS, [alert.receivedAt - KEPT_DAYS * DAY])
      await connection.run(TRIM_ALERTS, [])
      const [of] = await connection.rows<{ count: number }>(
        'SELECT count(*)::bigint AS count FROM sms_alerts WHERE phone = $1 AND received_at > $2',
        [alert.phone, alert.receivedAt - DAY],
      )
      if (of!.count < MAX_OF_NUMBER) await save(transaction, ADD_ALERT, alert)
      // Another node may have noted it meanwhile.
      const [stored] = await connection.rows<SmsAlert>(ALERT, [alert.id])
      return stored ?? alert
    },
  },
  updateSmsAlert: {
    async run(transaction, id, change) {
      const [known] = await transaction.connection.rows<SmsAlert>(`${ALERT} FOR UPDATE`, [id])
      if (known !== undefined) await save(transaction, SAVE_ALERT, { ...known, ...change })
    },
  },
  changeSmsTalk: {
    async run(transaction, id, talk) {
      const [known] = await transaction.connection.rows<SmsAlert>(`${ALERT} FOR UPDATE`, [id])
      if (known === undefined || !isNextTalk(talk, known.talk)) return false
      await save(transaction, SAVE_ALERT, { ...known, talk })
      return true
    },
  },
})

const EXACT = provedSql('phone_proofs.phone = $1', 'NOT disabled')
const ENDING = provedSql('phone_proofs.phone LIKE $1', 'NOT disabled')
const WITH_PHONE = usersWithSql('$1', 'NOT disabled')
const ALERTS = `SELECT ${SMS_ALERT} FROM sms_alerts WHERE phone = $1 AND received_at >= $2
  ORDER BY received_at DESC LIMIT ${MAX_OF_NUMBER}`
const ANSWERS = `SELECT (count(*) FILTER (WHERE answer = 'sent') + count(ended_at))::bigint AS sent,
    count(*) FILTER (WHERE answer = 'held')::bigint AS held FROM sms_alerts WHERE received_at >= $1`

export const smsReads = ({ row, rows }: Reader): ReadsOf<SmsStore> => ({
  phoneProof: (userId) => row<PhoneProof>(PROOF_OF, [userId]),
  provedNumbers: (sought) => rows<PhoneProof>('phone' in sought ? EXACT : ENDING, [likeOf(sought)]),
  usersWithPhone: (phone) => rows<User>(WITH_PHONE, [phone]),
  smsAlerts: (phone, since) => rows<SmsAlert>(ALERTS, [phone, since]),
  smsAnswers: async (since) => (await row<{ sent: number; held: number }>(ANSWERS, [since]))!,
})
