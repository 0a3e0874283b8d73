import { MAX_NAME_LENGTH, shortened } from '../text/person-name.ts'
import { filled, fixedWords, type Language } from '../text/phrases.ts'

/** The parts of a mail to a contact; null and undefined: left out. */
type MailContents = {
  /** The person who needs help, or that the alarm is over. */
  readonly says: string
  /** Before the link. */
  readonly ask: string | null
  /** The link, or the person's number where nobody could open one. */
  readonly way: string | null
  readonly late: string | null
  readonly places: readonly (string | null | undefined)[]
  readonly battery: string | null
  /** The name of the application. */
  readonly app: string
}

/** Own texts are long, and a phone shows some 40 characters of a subject anyway. */
const MAX_SUBJECT_LENGTH = 200

/** One line, so that no name or own text can begin another header. */
export const mailSubject = (sentence: string): string =>
  shortened(sentence.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim(), MAX_SUBJECT_LENGTH)

/** The facts of an SMS without its limits, in the same order, each on a line of its own. rules.md#email. */
export function mailBody(language: Language, contents: MailContents): string {
  const { says, ask, way, late, places, battery, app } = contents
  const sender = app && filled(fixedWords[language].mail.sender, { app: shortened(app, MAX_NAME_LENGTH) })
  const paragraphs = [
    [says],
    [ask, way],
    [late, ...places, battery],
    [sender || null, fixedWords[language].mail.noReply],
  ].map((lines) => lines.filter((line) => line != null).join('\n'))
  return `${paragraphs.filter((paragraph) => paragraph !== '').join('\n\n')}\n`
}
