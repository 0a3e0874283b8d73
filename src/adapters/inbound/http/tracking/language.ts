import { type Language, textLanguage } from '../../../../core/text/phrases.ts'
import { de } from './texts/de.ts'
import { en } from './texts/en.ts'
import { es } from './texts/es.ts'
import { fr } from './texts/fr.ts'
import { it } from './texts/it.ts'
import type { TrackingTexts } from './texts/texts.ts'

const texts: Readonly<Record<Language, TrackingTexts>> = { de, en, es, fr, it }

/** The texts in the first available of the wanted languages (BCP 47), or else in English. */
export const textsFor = (wanted: readonly string[]): TrackingTexts => texts[textLanguage(wanted)]

/** The languages of an `Accept-Language` header, by preference. */
export const languagesOf = (header: string | undefined): readonly string[] =>
  (header ?? '')
    .split(',')
    .map((range) => {
      const [tag = '', ...parameters] = range.split(';').map((part) => part.trim())
      const quality = parameters.find((parameter) => parameter.startsWith('q='))
      return { tag, weight: quality === undefined ? 1 : Number(quality.slice(2)) }
    })
    .filter(({ tag, weight }) => tag !== '' && weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .map(({ tag }) => tag)
