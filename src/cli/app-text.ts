import { type Command, Option } from 'commander'
import {
  isPhraseKey,
  languages,
  phraseKeys,
  phrasesOf,
  problemOfText,
  type TextKey,
  textKeys,
  warningsOfText,
} from '../core/text/own-texts.ts'
import type { Language } from '../core/text/phrases.ts'
import { type PhraseKey, placeholders } from '../core/text/placeholders.ts'
import { table } from './answer.ts'
import { ownTextsOf } from './application-view.ts'
import { type Act, findApplication, NO_SUCH_APPLICATION } from './command-context.ts'

type TextId<Key extends TextKey = PhraseKey> = { readonly language: Language; readonly key: Key }

const languageOption = () => new Option('--language <language>', 'language of the text').choices(languages)
const keyOption = (keys: readonly TextKey[]) =>
  new Option('--key <key>', 'key of the text; see tocsin app text list').choices(keys)

/** `tocsin app text …`: an application's own texts in place of the built-in ones. */
export function addTextCommands(app: Command, act: Act): void {
  const text = app.command('text').description("manage an application's own texts for SMS, calls and chat")

  text
    .command('set <app>')
    .description('set a text; it must contain every placeholder of the built-in one')
    .addOption(languageOption().makeOptionMandatory())
    .addOption(keyOption(phraseKeys).makeOptionMandatory())
    .requiredOption('--text <text>', "for example 'SOS: {who} needs help!'")
    .action(
      act(async ({ store }, appId: string, { language, key, text: words }: TextId & { text: string }) => {
        const found = await findApplication(store, appId)
        if ('refused' in found) return found
        const problem = problemOfText(key, words)
        if (problem !== null) return { refused: `the text ${problem}` }
        const changed = await store.setText(found.application.id, language, key, words)
        if ('refused' in changed) return { refused: NO_SUCH_APPLICATION }
        const warnings = warningsOfText(key, words)
        const lines = [`${key} (${language}) is now: ${words}`, ...warnings.map((warning) => `warning: ${warning}`)]
        return { json: { language, key, text: words, warnings }, text: lines.join('\n') }
      }),
    )

  text
    .command('list <app>')
    .description('list every text in use, with its placeholders')
    .addOption(languageOption())
    .action(
      act(async ({ store }, appId: string, { language: only }: Partial<TextId>) => {
        const found = await findApplication(store, appId)
        if ('refused' in found) return found
        const { texts } = found.application
        const rows = languages
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
        const shown = rows.map(({ placeholders: _, ...row }) => row)
        return { json: rows, text: table(shown, 'No texts.') }
      }),
    )

  text
    .command('remove <app>')
    .description('restore the built-in text')
    .addOption(languageOption().makeOptionMandatory())
    .addOption(keyOption(textKeys).makeOptionMandatory())
    .action(
      act(async ({ store }, appId: string, { language, key }: TextId<TextKey>) => {
        const found = await findApplication(store, appId)
        if ('refused' in found) return found
        const own = ownTextsOf(found.application).some((set) => set.language === language && set.key === key)
        if (!own) return { refused: `${key} (${language}) already uses the built-in text` }
        const changed = await store.setText(found.application.id, language, key, null)
        if ('refused' in changed) return { refused: NO_SUCH_APPLICATION }
        if (!isPhraseKey(key))
          return { json: { language, key, text: null, removed: true }, text: `${key} (${language}) was removed` }
        const words = phrasesOf(language, changed.texts)[key]
        return {
          json: { language, key, text: words, removed: true },
          text: `${key} (${language}) is back to: ${words}`,
        }
      }),
    )
}
