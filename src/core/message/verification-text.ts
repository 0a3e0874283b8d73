import { type OwnTexts, phrasesOf } from '../text/own-texts.ts'
import { MAX_NAME_LENGTH, neutralName, shortened } from '../text/person-name.ts'
import { filled, textLanguage } from '../text/phrases.ts'
import { nameInSms, newsSms } from './sms-text.ts'

/** Cut like a person's name, to leave room in the SMS. */
const MAX_APP_LENGTH = 40

/**
 * The SMS that asks a person whether they are a contact. It may reach a stranger: it says who named them and through
 * which application, and no name in it can be tapped. preparing.md#verification.
 */
export function verificationText(
  languages: readonly string[],
  facts: { readonly who: string; readonly app: string; readonly link: string },
  own: OwnTexts,
): string {
  const words = phrasesOf(textLanguage(languages), own)
  const app = nameInSms(shortened(neutralName(facts.app) || 'Tocsin', MAX_APP_LENGTH))
  const name = shortened(neutralName(facts.who) || words.somebody, MAX_NAME_LENGTH)
  return newsSms((who) => filled(words.verify, { app, who }), nameInSms(name), facts.link)
}
