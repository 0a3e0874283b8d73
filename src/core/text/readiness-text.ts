import type { Finding } from '../account/readiness-findings.ts'
import { ofName } from './french.ts'
import { MAX_NAME_LENGTH, neutralName, shortened } from './person-name.ts'
import { filled, textLanguage } from './phrases.ts'
import { readinessWords } from './readiness-words.ts'

/** A finding in the words of its reader. `languages`: BCP 47, in order of preference. */
export function findingText(
  { code, contact, days = 0 }: Finding,
  languages: readonly string[],
): { readonly text: string; readonly remedy: string } {
  const language = textLanguage(languages)
  const [text, remedy] = readinessWords[language][code]
  const name = shortened(neutralName(contact?.name ?? '') || '?', MAX_NAME_LENGTH)
  const ago = new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(-days, 'day')
  const values = { name, days: String(days), ago }
  const said = (phrase: string) =>
    filled(language === 'fr' ? phrase.replace('de {name}', () => ofName(name)) : phrase, values)
  return { text: said(text), remedy: said(remedy) }
}
