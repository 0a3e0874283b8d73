import { readFileSync } from 'node:fs'
import { Command, CommanderError } from 'commander'
import type { Config } from '../config.ts'
import { addActuatorCommands } from './actuator.ts'
import type { Answer } from './answer.ts'
import { addAppCommands } from './app.ts'
import { addTextCommands } from './app-text.ts'
import { addBackupCommands } from './backup.ts'
import { addClockCommands } from './clock.ts'
import { addConfigCommands } from './config.ts'
import { addDeadLetterCommands } from './dead-letter.ts'
import { addDeviceCommands } from './device.ts'
import { addFeedbackCommands } from './feedback.ts'
import { addIncidentCommands } from './incident.ts'
import { addNotifyCommands } from './notify.ts'
import { addOutboxCommands } from './outbox.ts'
import { configured, onSite, type Site } from './site.ts'
import { addTlsCommands } from './tls.ts'
import { addUserCommands } from './user.ts'

/** The options that every command takes. */
export type CommonOptions = { readonly json?: boolean; readonly config?: string }

/** Makes a commander action of something that answers without the store. */
export type Answering = (work: (options: CommonOptions) => Promise<Answer>) => (...given: unknown[]) => Promise<void>

/** Makes a commander action of work on the stored state. The work gets commander's arguments, options and command. */
export type Act = <A extends unknown[]>(
  work: (site: Site, ...given: A) => Promise<Answer>,
) => (...given: A) => Promise<void>

/** Decisions 6: 0 done, 1 failed, 2 wrong use. */
const exitCode = { done: 0, failed: 1, wrongUse: 2 } as const

type Output = { write(text: string): unknown }

/**
 * Runs one command line (without the names of node and the program) and gives the exit code. Answers go to stdout, as one JSON value
 * with `--json`; errors to stderr in one line.
 */
export async function runCommandLine(
  argv: readonly string[],
  parts: {
    readonly serve: (config: Config) => Promise<void>
    readonly stdout?: Output
    readonly stderr?: Output
  },
): Promise<number> {
  const { serve, stdout = process.stdout, stderr = process.stderr } = parts
  const tell = (text: string): void => void stderr.write(`${inOneLine(text)}\n`)
  let failed = false
  const report = (answer: Answer, { json = false }: CommonOptions): void => {
    if ('refused' in answer) {
      failed = true
      tell(`error: ${answer.refused}`)
    }
    const shown = json ? JSON.stringify('json' in answer ? answer.json : undefined) : 'text' in answer && answer.text
    if (shown) stdout.write(`${shown}\n`)
  }
  const common = (given: readonly unknown[]): CommonOptions => (given.at(-1) as Command).optsWithGlobals()
  const answering: Answering =
    (work) =>
    async (...given) =>
      report(await work(common(given)), common(given))
  const act: Act =
    (work) =>
    async (...given) =>
      report(await onSite(common(given).config, (site) => work(site, ...given)), common(given))

  const program = createProgram().configureOutput({
    writeOut: (text) => stdout.write(text),
    // Commander would print the whole help where a command is not complete.
    writeErr: () => {},
    outputError: (text) => tell(text),
  })
  program
    .command('start')
    .description('runs the service until it is told to stop')
    .action(
      answering(async ({ config: file }) => {
        const read = configured(file)
        if ('refused' in read) return read
        await serve(read.config)
        return { json: undefined, text: '' }
      }),
    )
  program
    .command('demo')
    .description('tells the whole story of one SOS in the terminal, within a minute')
    .action(async () => (await import('./demo.ts')).runDemo())
  const app = addAppCommands(program, act)
  addActuatorCommands(app, act)
  addTextCommands(app, act)
  addUserCommands(program, act)
  addDeviceCommands(program, act)
  addIncidentCommands(program, act)
  addNotifyCommands(program, act)
  addOutboxCommands(program, act)
  addDeadLetterCommands(program, act)
  addFeedbackCommands(program, act)
  addBackupCommands(program, answering)
  addClockCommands(program, act)
  addConfigCommands(program, answering)
  addTlsCommands(program, answering)

  try {
    await program.parseAsync(argv, { from: 'user' })
    return failed ? exitCode.failed : exitCode.done
  } catch (error) {
    if (!(error instanceof CommanderError)) {
      tell(`error: ${error instanceof Error ? error.message : String(error)}`)
      return exitCode.failed
    }
    if (error.exitCode === 0) return exitCode.done
    if (error.code === 'commander.help') tell('error: the command is not complete; --help shows how it goes on')
    return exitCode.wrongUse
  }
}

const inOneLine = (text: string): string => text.trim().replace(/\s+/g, (space) => (space.includes('\n') ? ' ' : space))

/** Commands inherit what is set here when they are added. */
function createProgram(): Command {
  return new Command('tocsin')
    .description('Self-hosted, all-in-one service for emergency SOS alerts')
    .version(version())
    .option('--config <file>', 'the configuration file')
    .option('--json', 'answer with one JSON value on stdout')
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
}

function version(): string {
  const description: { version: string } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  )
  return description.version
}
