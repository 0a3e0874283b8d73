import { type OwnTexts, phrasesOf } from '../text/own-texts.ts'
import { MAX_NAME_LENGTH, neutralName, shortened } from '../text/person-name.ts'
import { filled, fixedWords, textLanguage, withoutDrillWord } from '../text/phrases.ts'
import { nameInSms } from './sms-text.ts'

/** One alert. `who`: the person who needs help, as stored. `isDrill`: marks the text as an exercise. */
type Alert = { readonly who: string; readonly code: string; readonly isDrill?: boolean }

/** The reply to a contact who answered by SMS. */
export type AnswerReply =
  | ({ readonly kind: 'help' | 'unable' } & Alert)
  /** `link`: null if nobody could open it. */
  | { readonly kind: 'stop'; readonly who: string; readonly link: string | null; readonly isDrill?: boolean }
  | { readonly kind: 'start'; readonly who: string; readonly isDrill?: boolean }
  | { readonly kind: 'which'; readonly alerts: readonly Alert[] }
  /** Omits the name: the number's current owner need not know who once needed help. */
  | { readonly kind: 'over'; readonly isDrill?: boolean }

/** The most alerts that a text with codes can list. */
const MAX_ALERTS = 4

/** The text of a reply. `languages`: BCP 47, in order of preference. sms.md#sms-answers. */
export function answerReplyText(languages: readonly string[], reply: AnswerReply, own: OwnTexts = {}): string {
  const language = textLanguage(languages)
  const words = phrasesOf(language, own)
  const { prefix } = fixedWords[language].drill
  const marked = (text: string, isDrill = false) => (isDrill ? `${prefix} ${text}` : text)
  const named = (who: string) =>
    nameInSms(shortened(withoutDrillWord(neutralName(who)) || words.somebody, MAX_NAME_LENGTH))
  switch (reply.kind) {
    case 'help':
      return marked(filled(words.answerHelps, { who: named(reply.who), code: reply.code }), reply.isDrill)
    case 'unable':
      return marked(filled(words.answerUnable, { who: named(reply.who), code: reply.code }), reply.isDrill)
    case 'stop': {
      const { who, link, isDrill } = reply
      const phrase = link === null ? fixedWords[language].linkless.answerStopped : words.answerStopped
      return marked(filled(phrase, { who: named(who), ...(link !== null && { link }) }), isDrill)
    }
    case 'start':
      return marked(filled(words.answerStarted, { who: named(reply.who) }), reply.isDrill)
    case 'which': {
      const alerts = reply.alerts
        .slice(0, MAX_ALERTS)
        .map(({ who, code, isDrill }) => marked(filled(words.answerFor, { who: named(who), code }), isDrill))
      const isAllDrill = reply.alerts.every(({ isDrill }) => isDrill)
      return marked(`${words.answerWhich} ${alerts.join(', ')}`, isAllDrill)
    }
    case 'over':
      return marked(words.answerOver, reply.isDrill)
    default:
      return reply satisfies never
  }
}
