import { stringify } from 'yaml'
import { rowBy } from '../app/operator/by.ts'
import { pathOf, settable, settableKeys } from '../config/settable.ts'
import { isTree, type Tree, withValue } from '../config/tree.ts'
import { readSettings, secretsOf } from '../service/site-config.ts'
import type { Answer } from './answer.ts'
import { byCommand, type CommandContext } from './command-context.ts'

/** The console's settings in the form of the configuration file. Secrets only on request. */
export async function exportConfig(
  { store, config, now }: CommandContext,
  { secrets: isWhole = false }: { readonly secrets?: boolean },
): Promise<Answer> {
  const rows = await store.siteSettings()
  const { values, unreadable } = readSettings(rows, secretsOf(config))
  const [[key, why] = []] = Object.entries(unreadable)
  if (isWhole && key !== undefined) return { refused: `${key} cannot be exported: ${why}` }
  if (isWhole) {
    const fields = Object.keys(values)
    await store.addAuditRow(rowBy(byCommand({ now }), { action: 'setup.view', details: { secrets: true, fields } }))
  }
  const stored = settableKeys().filter((one) => one in values || one in unreadable)
  const hidden = stored.filter((one) => !isWhole && settable[one]?.isSecret === true)
  const shown = stored.filter((one) => !hidden.includes(one) && one in values)
  const tree = shown.reduce<Tree>((under, one) => withValue(under, pathOf(one), values[one]), {})
  const comments = hidden
    .map((one) => `# ${one}: a secret, set in the console; tocsin config export --secrets prints it\n`)
    .join('')
  const yaml = Object.keys(tree).length === 0 ? '' : stringify(tree)
  const text = stored.length === 0 ? '# Nothing is set in the console.' : `${comments}${yaml}`.trimEnd()
  return { json: { config: isTree(tree) ? tree : {}, secrets: hidden }, text }
}
