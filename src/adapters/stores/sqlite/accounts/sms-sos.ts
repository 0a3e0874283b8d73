import type { Application } from '../../../../core/account/application.ts'
import {
  CODES_PER_INVITATION,
  CODES_WITHIN_MS,
  type CodeFacts,
  decidePhoneCode,
  decideProof,
  type PhoneCode,
  type PhoneProof,
} from '../../../../core/account/phone-proof.ts'
import { shareOf } from '../../../../core/account/verification.ts'
import { DAY } from '../../../../lib/durations.ts'
import type { NumberSought, SmsAlert, SmsStore } from '../../../../ports/store.ts'
import { APPLICATION } from '../../shared/accounts.ts'
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
import type { SqliteDatabase } from '../engine/database.ts'
import { fromRow, insertSql, type Row, toRow, updateSql } from '../engine/row.ts'
import { type WriteContext, writesOf } from '../engine/write.ts'
import { removalTextKeeper } from '../removals/removal-texts.ts'
import { applicationOf, userOf } from './account-rows.ts'

const alertOf = fromRow<SmsAlert>('sms_alerts')
const alertRow = toRow<SmsAlert>('sms_alerts')

type Counting = Readonly<Record<'userId' | 'phone', string> & Record<'since' | 'perDay' | 'share', number>> & {
  readonly network: string | null
}
type Counted = Pick<CodeFacts, 'ofNumber' | 'ofNetwork' | 'ofSite' | 'ofApplication' | 'ofInvitation'>

function smsRows({ db }: WriteContext) {
  const count = (sql: string) => db.prepare<[string | number, number], number>(`SELECT count(*) FROM ${sql}`).pluck()
  return {
    keepTexts: removalTextKeeper(db),
    owner: db.prepare<[string], Row & { phone: string | null }>(
      `SELECT ${APPLICATION}, users.phone FROM users JOIN applications ON applications.id = app_id WHERE users.id = ?`,
    ),
    ownCodes: db.prepare<[string, number], PhoneCode>(
      `SELECT ${SMS_CODE} FROM phone_codes WHERE user_id = ? AND requested_at > ? ORDER BY requested_at DESC, id DESC LIMIT 50`,
    ),
    // CROSS JOIN: from the requests of a day to their users.
    counted: db.prepare<[Counting], Counted>(
      `SELECT
         (SELECT count(*) FROM phone_codes CROSS JOIN users AS others ON others.id = phone_codes.user_id
           WHERE phone_codes.phone = @phone AND requested_at > @since AND ${countsFor('@userId', '@phone')}) AS ofNumber,
         (SELECT count(*) FROM phone_codes CROSS JOIN users AS others ON others.id = phone_codes.user_id
           WHERE phone_codes.phone = @phone AND requested_at > @since AND network = @network
             AND ${countsFor('@userId', '@phone')}) AS ofNetwork,
         (SELECT count(*) FROM (SELECT 1 FROM phone_codes WHERE requested_at > @since LIMIT @perDay)) AS ofSite,
         (SELECT count(*) FROM (
           SELECT 1 FROM phone_codes CROSS JOIN users ON users.id = user_id
           WHERE requested_at > @since AND app_id = (SELECT app_id FROM users WHERE id = @userId) LIMIT @share
         )) AS ofApplication,
         (SELECT CASE WHEN invitation_id IS NULL THEN NULL ELSE (
           SELECT count(*) FROM (
             SELECT 1 FROM phone_codes CROSS JOIN users AS others ON others.id = phone_codes.user_id
             WHERE requested_at > @since AND others.invitation_id = users.invitation_id LIMIT ${CODES_PER_INVITATION}
           )) END FROM users WHERE id = @userId) AS ofInvitation`,
    ),
    forgetCodes: db.prepare<[number]>('DELETE FROM phone_codes WHERE requested_at < ? LIMIT 50'),
    addCode: db.prepare<Row>(insertSql('phone_codes')),
    saveCode: db.prepare<Row>(updateSql('phone_codes')),
    proofOf: db.prepare<[string], PhoneProof>(`SELECT ${PROOF} FROM phone_proofs WHERE user_id = ?`),
    holderOf: db.prepare<[string], PhoneProof>(
      `SELECT ${PROOF} FROM phone_proofs WHERE phone = ? AND taken_at IS NULL`,
    ),
    saveProof: db.prepare<Row>(`${insertSql('phone_proofs')} ${replacing('phone_proofs')}`),
    alert: db.prepare<[string], Row>(`SELECT ${SMS_ALERT} FROM sms_alerts WHERE id = ?`),
    alertsOf: count('sms_alerts WHERE phone = ? AND received_at > ?'),
    addAlert: db.prepare<Row>(insertSql('sms_alerts')),
    saveAlert: db.prepare<Row>(updateSql('sms_alerts')),
    forgetAlerts: db.prepare<[number]>(`DELETE FROM sms_alerts WHERE received_at < ? LIMIT ${MAX_FORGOTTEN}`),
    trimAlerts: db.prepare<[]>(
      `DELETE FROM sms_alerts WHERE id IN (
         SELECT id FROM sms_alerts ORDER BY received_at DESC LIMIT ${MAX_FORGOTTEN} OFFSET ${MAX_ALERTS}
       )`,
    ),
  }
}

const codeRow = toRow<PhoneCode>('phone_codes')
const proofRow = toRow<PhoneProof>('phone_proofs')

export const smsWrites = writesOf<SmsStore>()(smsRows, {
  requestPhoneCode: {
    reserve: 'spares',
    moment: (_userId, { now }) => now,
    sender: (userId) => userId,
    run(rows, userId, asked) {
      const row = rows.owner.get(userId)
      if (row === undefined) return { refused: 'user_not_found' }
      const { phone } = row
      const since = asked.now - CODES_WITHIN_MS
      const { allowedPrefixes }: Application = applicationOf(row)
      rows.forgetCodes.run(since)
      const decided = decidePhoneCode(
        {
          phone,
          allowedPrefixes,
          own: rows.ownCodes.all(userId, since),
          ...rows.counted.get({
            ...{ userId, phone: phone ?? '', since, network: asked.network },
            ...{ perDay: asked.perDay, share: shareOf(asked.perDay) },
          })!,
        },
        { userId, ...asked },
      )
      if ('refused' in decided) return decided
      rows.addCode.run(codeRow(decided.insert))
      return { phone: decided.insert.phone }
    },
  },
  provePhone: {
    moment: (_userId, { now }) => now,
    sender: (userId) => userId,
    run(rows, userId, said, texts = []) {
      const phone = rows.owner.get(userId)?.phone ?? null
      const decided = decideProof(
        {
          phone,
          sent: rows.ownCodes.get(userId, said.now - CODES_WITHIN_MS) ?? null,
          holder: phone === null ? null : (rows.holderOf.get(phone) ?? null),
          known: rows.proofOf.get(userId) ?? null,
        },
        said,
      )
      if ('refused' in decided) {
        if (decided.update !== null) rows.saveCode.run(codeRow(decided.update))
        return { refused: decided.refused }
      }
      const { proof, taken, replaced } = decided
      for (const one of taken === null ? [proof] : [taken, proof]) rows.saveProof.run(proofRow(one))
      if (replaced !== null) rows.keepTexts(texts.map((text) => ({ ...text, phone: replaced })))
      return { proof, takenFrom: taken?.userId ?? null, replaced }
    },
  },
  changeSmsCode: {
    sender: (userId) => userId,
    run({ proofOf, saveProof }, userId, code) {
      const proof = proofOf.get(userId)
      if (proof === undefined) return { refused: 'no_proof' }
      const changed = { ...proof, code }
      saveProof.run(proofRow(changed))
      return changed
    },
  },
  noteSmsAlert: {
    // An alarm follows from it.
    lane: 'alarm',
    reserve: 'releases',
    moment: ({ receivedAt }) => receivedAt,
    sender: ({ phone }) => phone,
    run({ alert: find, alertsOf, addAlert, forgetAlerts, trimAlerts }, alert) {
      const known = find.get(alert.id)
      if (known !== undefined) return alertOf(known)
      forgetAlerts.run(alert.receivedAt - KEPT_DAYS * DAY)
      trimAlerts.run()
      if (alertsOf.get(alert.phone, alert.receivedAt - DAY)! < MAX_OF_NUMBER) addAlert.run(alertRow(alert))
      return alert
    },
  },
  updateSmsAlert: {
    reserve: 'uses',
    run({ alert: find, saveAlert }, id, change) {
      const known = find.get(id)
      if (known !== undefined) saveAlert.run(alertRow({ ...alertOf(known), ...change }))
    },
  },
  changeSmsTalk: {
    run({ alert: find, saveAlert }, id, talk) {
      const row = find.get(id)
      const known = row === undefined ? null : alertOf(row)
      if (known === null || !isNextTalk(talk, known.talk)) return false
      saveAlert.run(alertRow({ ...known, talk }))
      return true
    },
  },
})

export function smsReads(db: SqliteDatabase) {
  const proofOf = db.prepare<[string], PhoneProof>(`SELECT ${PROOF} FROM phone_proofs WHERE user_id = ?`)
  const exact = db.prepare<[string], PhoneProof>(provedSql('phone_proofs.phone = ?', 'disabled = 0'))
  const ending = db.prepare<[string], PhoneProof>(provedSql('phone_proofs.phone LIKE ?', 'disabled = 0'))
  const withPhone = db.prepare<[string], Row>(usersWithSql('?', 'disabled = 0'))
  const alerts = db.prepare<[string, number], Row>(
    `SELECT ${SMS_ALERT} FROM sms_alerts WHERE phone = ? AND received_at >= ? ORDER BY received_at DESC LIMIT ${MAX_OF_NUMBER}`,
  )
  const answers = db.prepare<[number], { readonly sent: number; readonly held: number }>(
    `SELECT count(*) FILTER (WHERE answer = 'sent') + count(ended_at) AS sent, count(*) FILTER (WHERE answer = 'held') AS held
     FROM sms_alerts WHERE received_at >= ?`,
  )
  return {
    phoneProof: (userId: string): PhoneProof | null => proofOf.get(userId) ?? null,
    provedNumbers: (sought: NumberSought): readonly PhoneProof[] =>
      ('phone' in sought ? exact : ending).all(likeOf(sought)),
    usersWithPhone: (phone: string) => withPhone.all(phone).map(userOf),
    smsAlerts: (phone: string, since: number): readonly SmsAlert[] => alerts.all(phone, since).map(alertOf),
    smsAnswers: (since: number) => answers.get(since)!,
  }
}
