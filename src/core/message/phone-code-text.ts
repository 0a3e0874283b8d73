import { MAX_NAME_LENGTH, neutralName, shortened } from '../text/person-name.ts'
import { filled, fixedWords, textLanguage } from '../text/phrases.ts'
import { nameInSms } from './sms-text.ts'

/**
 * The SMS with the code that proves a number. `languages`: BCP 47, in order of preference. preparing.md#phone-proof.
 */
export function phoneCodeText(
  languages: readonly string[],
  facts: { readonly app: string; readonly code: string },
): string {
  const app = nameInSms(shortened(neutralName(facts.app) || 'Tocsin', MAX_NAME_LENGTH))
  return filled(fixedWords[textLanguage(languages)].sms.phoneCode, { app, code: facts.code })
}
