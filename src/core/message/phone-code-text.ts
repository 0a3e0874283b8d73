import { HOUR } from '../../lib/durations.ts'
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

/**
 * The SMS to a user's proved number that something is taken away, `inMs` from now, or to the number that is no longer
 * it. app.md#removing, preparing.md#phone-proof.
 */
export const removalText = (
  languages: readonly string[],
  { app, asked, inMs }: { readonly app: string; readonly asked: AskedRemoval; readonly inMs: number },
): string =>
  filled(fixedWords[textLanguage(languages)].sms[asked], {
    app: appInSms(app),
    hours: `${Math.max(1, Math.round(inMs / HOUR))}`,
  })
