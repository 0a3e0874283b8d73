import type { Application } from '../../core/account/application.ts'
import { isGsm7, segmentsOf } from '../../core/text/gsm7.ts'
import {
  languages,
  phraseKeys,
  phrasesOf,
  problemOfText,
  type TextKey,
  usualText,
  warningsOfText,
} from '../../core/text/own-texts.ts'
import type { Language } from '../../core/text/phrases.ts'
import { type PhraseKey, placeholders } from '../../core/text/placeholders.ts'
import type { AuditStore } from '../../ports/store.ts'
import { ownTextsOf } from './application-view.ts'
import { type By, rowBy } from './by.ts'

type TextNeeds = { readonly store: AuditStore }
type NoApplication = { readonly refused: 'application_not_found' }
type BadText = { readonly refused: 'invalid_text'; readonly problem: string }

/** Every text in use, of one language or of all, with its placeholders. */
export const textsInUse = ({ texts }: Application, only?: Language) =>
  languages
    .filter((language) => only === undefined || language === only)
    .flatMap((language) =>
      phraseKeys.map((key) => ({
        language,
        key,
        text: phrasesOf(language, texts)[key],
        placeholders: placeholders[key],
        own: texts[language]?.[key] !== undefined,
      })),
    )

/** Replaces a built-in text. `warnings`: whatever makes its SMS more expensive and less reliable. */
export async function setText(
  { store }: TextNeeds,
  appId: string,
  { language, key, text }: { readonly language: Language; readonly key: PhraseKey; readonly text: string },
  by: By,
): Promise<{ readonly application: Application; readonly warnings: readonly string[] } | NoApplication | BadText> {
  const problem = problemOfText(key, text)
  if (problem !== null) return { refused: 'invalid_text', problem }
  const row = rowBy(by, { action: 'application.change', appId, details: { change: 'text set', language, key } })
  const application = await store.audited(row).setText(appId, language, key, text)
  return 'refused' in application ? application : { application, warnings: warningsOfText(key, text) }
}

/** Restores the built-in text. */
export async function removeText(
  { store }: TextNeeds,
  application: Application,
  { language, key }: { readonly language: Language; readonly key: TextKey },
  by: By,
): Promise<Application | NoApplication | { readonly refused: 'text_is_built_in' }> {
  const own = ownTextsOf(application).some((set) => set.language === language && set.key === key)
  if (!own) return { refused: 'text_is_built_in' }
  const appId = application.id
  const row = rowBy(by, { action: 'application.change', appId, details: { change: 'text removed', language, key } })
  return store.audited(row).setText(appId, language, key, null)
}

/** A preview of the text's SMS, with a typical name and link. Changes nothing. */
export function previewOf(
  key: PhraseKey,
  text: string,
):
  | {
      readonly text: string
      readonly segments: number
      readonly encoding: 'GSM-7' | 'UCS-2'
      readonly warnings: readonly string[]
    }
  | BadText {
  const problem = problemOfText(key, text)
  if (problem !== null) return { refused: 'invalid_text', problem }
  const sent = usualText(key, text)
  const encoding = isGsm7(sent) ? 'GSM-7' : 'UCS-2'
  return { text: sent, segments: segmentsOf(sent), encoding, warnings: warningsOfText(key, text) }
}
