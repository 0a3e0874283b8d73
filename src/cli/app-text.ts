import { type Command, Option } from 'commander'
import { removeText, setText, textsInUse } from '../app/operator/texts.ts'
import { isPhraseKey, languages, phraseKeys, phrasesOf, type TextKey, textKeys } from '../core/text/own-texts.ts'
import type { Language } from '../core/text/phrases.ts'
import type { PhraseKey } from '../core/text/placeholders.ts'
import { table } from './answer.ts'
import { type Act, byCommand, findApplication, NO_SUCH_APPLICATION } from './command-context.ts'

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
      act(async (context, appId: string, given: TextId & { text: string }) => {
        const found = await findApplication(context.store, appId)
        if ('refused' in found) return found
        const { language, key, text: words } = given
        const set = await setText(context, found.application.id, given, byCommand(context))
        if ('problem' in set) return { refused: `the text ${set.problem}` }
        if ('refused' in set) return { refused: NO_SUCH_APPLICATION }
        const { warnings } = set
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
        const rows = textsInUse(found.application, only)
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
      act(async (context, appId: string, { language, key }: TextId<TextKey>) => {
        const found = await findApplication(context.store, appId)
        if ('refused' in found) return found
        const changed = await removeText(context, found.application, { language, key }, byCommand(context))
        if ('refused' in changed) {
          const isBuiltIn = changed.refused === 'text_is_built_in'
          return { refused: isBuiltIn ? `${key} (${language}) already uses the built-in text` : NO_SUCH_APPLICATION }
        }
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
