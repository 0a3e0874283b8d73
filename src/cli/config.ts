import type { Command } from 'commander'
import { openMapFiles } from '../adapters/platform/map/map-files.ts'
import { configWarnings } from '../config/warnings.ts'
import { listenersOn, problemPlace, readConfig } from '../config.ts'
import type { Answering } from './answer.ts'
import { type Answer, record } from './answer.ts'
import type { Act } from './command-context.ts'

/**
 * `tocsin config check`: checks the file and the environment as `start` would, without starting. `tocsin config
 * export`: the console's settings, as a file.
 */
export function addConfigCommands(
  program: Command,
  { act, answering }: { readonly act: Act; readonly answering: Answering },
): void {
  const config = program.command('config').description('check the configuration, or export what is set in the console')
  config
    .command('check')
    .description('list every mistake in it')
    .action(answering(({ config }) => check(config)))
  config
    .command('export')
    .description('print what is set in the console as a configuration file')
    .option('--secrets', 'with the secrets, for a user who can read the key of the site')
    .action(
      act(async (context, given: { readonly secrets?: boolean }) =>
        (await import('./config-export.ts')).exportConfig(context, given),
      ),
    )
}

async function check(named: string | undefined): Promise<Answer> {
  const read = readConfig({ file: named, env: process.env, cwd: process.cwd() })
  const { file } = read
  if ('problems' in read) {
    const { problems } = read
    const reasons = problems.map((problem) => problemPlace(problem, file))
    return { refused: reasons, json: { valid: false, file, problems } }
  }
  const { config } = read
  const { written: _, ...shown } = config
  const { dataDir, notifications } = config
  const text = record({
    file: file ?? 'none: built-in defaults and the environment',
    dataDir,
    listeners: listenersOn(config).join(', ') || 'none',
    providers: notifications.providers.join(', '),
  })
  const { overlays, basemap } = config.map
  const map = await openMapFiles({ dataDir, overlays, basemap })
  await map.close()
  const warnings = [...configWarnings(config), ...map.problems]
  const warned = warnings.map((warning) => `\n\nWarning: ${warning}.`).join('')
  return {
    json: { valid: true, file, config: shown, warnings },
    text: `The configuration is valid.\n\n${text}${warned}`,
  }
}
