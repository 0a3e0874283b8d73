import { Select } from '../../console/parts/blocks.tsx'
import { type Language, language, languages, speak, texts } from '../state/language.ts'

/** Each language by its own name. */
export const LanguagePicker = () => (
  <Select
    label={texts.value.language}
    value={language.value}
    options={languages.map((code) => [code, new Intl.DisplayNames([code], { type: 'language' }).of(code) ?? code])}
    onPick={(code) => speak(code as Language)}
  />
)
