import { type SmsAnswer, smsAnswer } from '../../core/message/sms-answer.ts'
import { type SmsSos, smsSos } from '../../core/message/sms-sos.ts'
import type { IncomingSms } from './answer-sms.ts'

/** `id`: of the message, the same each time it is handed over. */
export type ReceivedSms = IncomingSms & { readonly id: string }
/** Rejects if the text has to be handled again. */
export type TakeSms = (sms: ReceivedSms) => Promise<void>

/** Further meanings of a text, besides a contact's answer. Each returns whether it applied. */
export type SmsOfUsers = {
  sos(sms: ReceivedSms, sos: SmsSos): Promise<boolean>
  /** The number says that the SOS with this code was not theirs. */
  notMe(sms: ReceivedSms, code: string): Promise<boolean>
  /**
   * Anything else that a user with an open SOS by SMS texts. `isAnswer`: a contact's answer looks like that, too: `NO`.
   */
  note(sms: ReceivedSms, isAnswer: boolean): Promise<void>
  /** The number wants no texts about its open SOS, or wants them again. */
  stop(sms: ReceivedSms, isStop: boolean): Promise<void>
}

/**
 * Takes a received text: an SOS of a user, the end of one, or the answer of a contact. One number may be both: the code
 * of a text to the contact always means the contact's answer. sms.md#sms-sos.
 */
export const takeSms =
  ({
    ofUsers,
    answer,
    isContactsCode,
  }: {
    readonly ofUsers: SmsOfUsers
    /** Of a contact. */
    readonly answer: (sms: ReceivedSms) => Promise<void>
    /** Whether a text with this code went to the number. */
    readonly isContactsCode: (from: string, code: string) => Promise<boolean>
  }): TakeSms =>
  async (sms) => {
    const sos = smsSos(sms.text)
    if (sos !== null && (await ofUsers.sos(sms, sos))) return
    const said = smsAnswer(sms.text)
    if (said.kind === 'unable' && said.code !== null && !(await isContactsCode(sms.from, said.code))) {
      if (await ofUsers.notMe(sms, said.code)) return
    }
    await tellPerson(ofUsers, sms, said)
    await answer(sms)
  }

/** Passes the text on to those who talk with its sender, whatever else it answers. */
async function tellPerson(ofUsers: SmsOfUsers, sms: ReceivedSms, said: SmsAnswer): Promise<void> {
  switch (said.kind) {
    case 'stop':
    case 'start':
      // With a code it is about the alarm of somebody else.
      return said.code === null ? ofUsers.stop(sms, said.kind === 'stop') : undefined
    case 'other':
      return ofUsers.note(sms, false)
    case 'help':
    case 'unable':
      // With a code it is an answer and nothing else.
      return said.code === null ? ofUsers.note(sms, true) : undefined
    case 'unclear':
      return ofUsers.note(sms, true)
    default:
      return said satisfies never
  }
}
