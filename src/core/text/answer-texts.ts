import { type OwnTexts, phrasesOf } from './own-texts.ts'
import { MAX_NAME_LENGTH, neutralName, shortened } from './person-name.ts'
import { filled, textLanguage } from './phrases.ts'
import { nameInSms } from './sms-text.ts'

/** What a contact who has answered by SMS is told. `who`: the person who needs help, as stored. */
export type AnswerReply =
  | { readonly kind: 'help' | 'unable'; readonly who: string; readonly code: string }
  | { readonly kind: 'which'; readonly alerts: readonly { readonly who: string; readonly code: string }[] }
  /** Names nobody: whoever has the number now need not know who once needed help. */
  | { readonly kind: 'over' }

/** The alerts that a text with codes can list. */
const MAX_ALERTS = 4

/** The text of a reply. `languages`: BCP 47, in order of preference. rules.md#sms-answers. */
export function answerReplyText(languages: readonly string[], reply: AnswerReply, own: OwnTexts = {}): string {
  const words = phrasesOf(textLanguage(languages), own)
  const named = (who: string) => nameInSms(shortened(neutralName(who) || words.somebody, MAX_NAME_LENGTH))
  switch (reply.kind) {
    case 'help':
      return filled(words.answerHelps, { who: named(reply.who), code: reply.code })
    case 'unable':
      return filled(words.answerUnable, { who: named(reply.who), code: reply.code })
    case 'which': {
      const alerts = reply.alerts
        .slice(0, MAX_ALERTS)
        .map(({ who, code }) => filled(words.answerFor, { who: named(who), code }))
      return `${words.answerWhich} ${alerts.join(', ')}`
    }
    case 'over':
      return words.answerOver
    default:
      return reply satisfies never
  }
}
