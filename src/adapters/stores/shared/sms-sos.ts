import type { SmsTalk } from '../../../core/message/sms-talk.ts'
import type { NumberSought } from '../../../ports/store.ts'
import { USER } from './accounts.ts'
import { selected } from './columns.ts'

export const PROOF = selected('phone_proofs')
export const SMS_CODE = selected('phone_codes')
export const SMS_ALERT = selected('sms_alerts')

/** Texts are kept as long as an incident can last without an alert. rules.md#automatic-close. */
export const KEPT_DAYS = 8
/** Rows of all numbers, and of one number in a day. A text beyond them rings as well, and is not noted. */
export const MAX_ALERTS = 20_000
export const MAX_OF_NUMBER = 200
/** Old rows that go with each new one. */
export const MAX_FORGOTTEN = 50

/** SQL for the proofs that count. `enabled`: of a column of `users`. */
export const provedSql = (condition: string, disabled: string): string =>
  `SELECT ${PROOF} FROM phone_proofs JOIN users ON users.id = phone_proofs.user_id
   WHERE taken_at IS NULL AND ${disabled} AND ${condition} LIMIT 2`

/** SQL for the enabled users with a number. */
export const usersWithSql = (phone: string, disabled: string): string =>
  `SELECT ${USER} FROM users WHERE phone = ${phone} AND ${disabled} ORDER BY id LIMIT 2`

/** The pattern that a number is compared with. Only digits are ever sought. */
export const likeOf = (sought: NumberSought): string => ('phone' in sought ? sought.phone : `%${sought.ending}`)

/** Whether `talk` is the version after `known`; otherwise another node was first. */
export const isNextTalk = (talk: SmsTalk, known: SmsTalk | null): boolean => talk.version === (known?.version ?? 0) + 1
