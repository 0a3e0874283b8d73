import type { PhoneProof } from '../core/account/phone-proof.ts'
import type { User } from '../core/account/profile.ts'
import type { RemovalText } from '../core/account/removal-text.ts'
import type { SmsTalk } from '../core/message/sms-talk.ts'

/**
 * An SOS that arrived as a text. `id`: of the message. `phone`: the sender as far as it is known. `at`: when it was
 * sent; epoch ms, like the other times. `incidentId`: the one that it opened or joined. `endCode`: of the answer that
 * says how to end it. `endedAt`: when the number said that it was not them. `talk`: the progress of the talk by SMS,
 * kept with the incident's first text of this number; null: none yet.
 */
export type SmsAlert = {
  readonly id: string
  readonly phone: string
  readonly userId: string
  readonly incidentId: string
  readonly at: number
  readonly receivedAt: number
  readonly coded: boolean
  readonly endCode: string | null
  readonly answer: 'sent' | 'held' | 'none'
  readonly endedAt: number | null
  readonly talk: SmsTalk | null
}

/** How to find a number: all of it, or the digits it ends with, where a network leaves the country code out. */
export type NumberSought = { readonly phone: string } | { readonly ending: string }

/** SOS by SMS: proved numbers, and the texts of the last days. sms.md#sms-sos. */
export type SmsStore = {
  /** The user's proof, of whatever number. */
  phoneProof(userId: string): Promise<PhoneProof | null>
  /** The proofs that count for such a number, at most two; of enabled users. */
  provedNumbers(sought: NumberSought): Promise<readonly PhoneProof[]>
  /** The enabled users with that number in their profile, at most two. */
  usersWithPhone(phone: string): Promise<readonly User[]>
  /** The texts of a number since then (epoch ms), newest first, at most 200. */
  smsAlerts(phone: string, since: number): Promise<readonly SmsAlert[]>
  /** Answers to texts since then (epoch ms), of the whole site: about who is alarmed, and that it has ended. */
  smsAnswers(since: number): Promise<{ readonly sent: number; readonly held: number }>
  /** Stores a code for the number of the user's profile, which is then sent to it. preparing.md#phone-proof. */
  requestPhoneCode(
    userId: string,
    asked: {
      readonly id: string
      readonly code: string
      readonly network: string | null
      readonly now: number
      readonly perDay: number
    },
  ): Promise<
    | { readonly phone: string }
    | { readonly refused: 'no_phone' | 'phone_not_allowed' | 'user_not_found' }
    | { readonly refused: 'code_limit'; readonly retryAfterMs: number }
  >
  /**
   * `smsCode`: for a number that has none yet. `takenFrom`: the user whose proof it was. `replaced`: the user's own
   * number that counted until now, to which `texts` are kept in the same commit.
   */
  provePhone(
    userId: string,
    said: { readonly code: string; readonly smsCode: string; readonly now: number },
    texts?: readonly RemovalText[],
  ): Promise<
    | { readonly proof: PhoneProof; readonly takenFrom: string | null; readonly replaced: string | null }
    | { readonly refused: 'wrong_code' }
  >
  /** Replaces the four digits of the user's proof. */
  changeSmsCode(userId: string, code: string): Promise<PhoneProof | { readonly refused: 'no_proof' }>
  /** Notes a text, and forgets old ones. Resolves to the text stored under its id: each is noted once. */
  noteSmsAlert(alert: SmsAlert): Promise<SmsAlert>
  /** Stores later news of a text. */
  updateSmsAlert(
    id: string,
    change: Partial<Pick<SmsAlert, 'incidentId' | 'endCode' | 'answer' | 'endedAt'>>,
  ): Promise<void>
  /** Stores `talk` if it is the next version. False: another node was first, or the text is forgotten. */
  changeSmsTalk(id: string, talk: SmsTalk): Promise<boolean>
}
