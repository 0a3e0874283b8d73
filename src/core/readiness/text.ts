import { ofName } from '../text/grammar.ts'
import { MAX_NAME_LENGTH, neutralName, shortened } from '../text/person-name.ts'
import { filled, textLanguage } from '../text/phrases.ts'
import type { Finding } from './findings.ts'
import { readinessWords, yourProfile } from './words.ts'

/** A finding in its reader's language. `languages`: BCP 47, in order of preference. */
export function findingText(
  { code, contact, days = 0, on }: Finding,
  languages: readonly string[],
): { readonly text: string; readonly remedy: string } {
  const language = textLanguage(languages)
  const [text, remedy] = readinessWords[language][code]
  const name =
    contact === undefined ? yourProfile[language] : shortened(neutralName(contact.name) || '?', MAX_NAME_LENGTH)
  const ago = new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(-days, 'day')
  const values = { name, days: String(days), ago, on: on === undefined ? '' : dayIn(language, on) }
  const said = (phrase: string) =>
    filled(language === 'fr' ? phrase.replace('de {name}', () => ofName(name)) : phrase, values)
  return { text: said(text), remedy: said(remedy) }
}

/** A day such as `2026-05-01` as people write it. */
const dayIn = (language: string, on: string): string =>
  new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(Date.parse(`${on}T12:00:00Z`))
