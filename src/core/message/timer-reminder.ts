import { localTime } from '../text/local-time.ts'
import { type OwnTexts, phrasesOf } from '../text/own-texts.ts'
import { MAX_NAME_LENGTH, neutralName, shortened } from '../text/person-name.ts'
import { filled, textLanguage } from '../text/phrases.ts'
import { nameInSms } from './sms-text.ts'

/** The SMS to a user whose timer is about to run out. Times are epoch ms. rules.md#timers. */
export function timerReminderText(
  languages: readonly string[],
  {
    app,
    dueAt,
    timeZone,
    now,
    own = {},
  }: {
    readonly app: string
    readonly dueAt: number
    readonly timeZone: string
    readonly now: number
    readonly own?: OwnTexts
  },
): string {
  const language = textLanguage(languages)
  const due = localTime(dueAt, { now, timeZone, language })
  const name = nameInSms(shortened(neutralName(app) || 'Tocsin', MAX_NAME_LENGTH))
  return filled(phrasesOf(language, own).timerReminder, { app: name, due })
}
