import type { AskedRemoval } from '../account/removal-text.ts'
import { MAX_NAME_LENGTH, neutralName, shortened } from '../text/person-name.ts'
import { filled, fixedWords, textLanguage } from '../text/phrases.ts'
import { nameInSms } from './sms-text.ts'

const appInSms = (name: string): string => nameInSms(shortened(neutralName(name) || 'Tocsin', MAX_NAME_LENGTH))

/**
 * The SMS with the code that proves a number. `languages`: BCP 47, in order of preference. preparing.md#phone-proof.
 */
export const phoneCodeText = (
  languages: readonly string[],
  { app, code }: { readonly app: string; readonly code: string },
): string => filled(fixedWords[textLanguage(languages)].sms.phoneCode, { app: appInSms(app), code })

/** The SMS to a number that counted until its user proved another one. preparing.md#phone-proof. */
export const phoneReplacedText = (languages: readonly string[], app: string): string =>
  filled(fixedWords[textLanguage(languages)].sms.replaced, { app: appInSms(app) })

/** The SMS to a user's proved number that something is taken away. app.md#removing. */
export const removalText = (languages: readonly string[], app: string, asked: AskedRemoval): string =>
  filled(fixedWords[textLanguage(languages)].sms[asked], { app: appInSms(app) })
