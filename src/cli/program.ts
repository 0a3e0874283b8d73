import { Command, CommanderError } from 'commander'
import { newestSchema } from '../adapters/stores/shared/migrations.ts'
import type { Config } from '../config.ts'
import { release } from '../lib/release.ts'
import type { Answer, Answering, CommonOptions } from './answer.ts'
import { type Act, configured, withContext } from './command-context.ts'

type Adding = (program: Command, parts: { readonly act: Act; readonly answering: Answering }) => Promise<void>

/** The commands by their first word. Each loads only its own code, so that it starts faster. */
const commands: Readonly<Record<string, Adding>> = {
  async app(program, { act }) {
    const { addAppCommands } = await import('./app.ts')
    const { addActuatorCommands } = await import('./actuator.ts')
    const { addTextCommands } = await import('./app-text.ts')
    const command = addAppCommands(program, act)
    addActuatorCommands(command, act)
    addTextCommands(command, act)
  },
  user: async (program, { act }) => (await import('./user.ts')).addUserCommands(program, act),
  readiness: async (program, { act }) => (await import('./readiness.ts')).addReadinessCommand(program, act),
  contact: async (program, { act }) => (await import('./contact.ts')).addContactCommands(program, act),
  device: async (program, { act }) => (await import('./device.ts')).addDeviceCommands(program, act),
  incident: async (program, { act }) => (await import('./incident.ts')).addIncidentCommands(program, act),
  notify: async (program, { act }) => (await import('./notify.ts')).addNotifyCommands(program, act),
  outbox: async (program, { act }) => (await import('./outbox.ts')).addOutboxCommands(program, act),
  'dead-letter': async (program, { act }) => (await import('./dead-letter.ts')).addDeadLetterCommands(program, act),
  feedback: async (program, { act }) => (await import('./feedback.ts')).addFeedbackCommands(program, act),
  backup: async (program, { answering }) => (await import('./backup.ts')).addBackupCommand(program, answering),
  restore: async (program, { answering }) => (await import('./restore.ts')).addRestoreCommand(program, answering),
  store: async (program, parts) => (await import('./store.ts')).addStoreCommands(program, parts),
  operator: async (program, { act }) => (await import('./operator.ts')).addOperatorCommands(program, act),
  audit: async (program, { act }) => (await import('./audit.ts')).addAuditCommands(program, act),
  'on-call': async (program, { act }) => (await import('./on-call.ts')).addOnCallCommands(program, act),
  drill: async (program, { act }) => (await import('./drill.ts')).addDrillCommands(program, act),
  simulate: async (program, { act }) => (await import('./simulate.ts')).addSimulateCommand(program, act),
  timer: async (program, { act }) => (await import('./timer.ts')).addTimerCommands(program, act),
  clock: async (program, { act }) => (await import('./clock.ts')).addClockCommands(program, act),
  node: async (program, { answering }) => (await import('./node.ts')).addNodeCommands(program, answering),
  doctor: async (program, { answering }) => (await import('./doctor.ts')).addDoctorCommand(program, answering),
  config: async (program, parts) => (await import('./config.ts')).addConfigCommands(program, parts),
  health: async (program, { answering }) => (await import('./health.ts')).addHealthCommand(program, answering),
  tls: async (program, { answering }) => (await import('./tls.ts')).addTlsCommands(program, answering),
}

/** The command named on the line, or all of them if help is wanted or the name is unknown. */
function commandsFor(argv: readonly string[]): readonly Adding[] {
  const word = argv.find((arg, at) => !arg.startsWith('-') && argv[at - 1] !== '--config') ?? ''
  if (word === 'start' || word === 'demo' || argv[0] === '--version' || argv[0] === '-V') return []
  return Object.hasOwn(commands, word) ? [commands[word]!] : Object.values(commands)
}

/** protocol.md#command-line: 0 done, 1 failed, 2 wrong use. */
const exitCode = { done: 0, failed: 1, wrongUse: 2 } as const

/** Runs the service with the configuration of this file; null: of none. */
type Serve = (config: Config, file: string | null) => Promise<void>

type Output = { write(text: string): unknown }

/**
 * Runs one command line (without the names of node and the program) and returns the exit code. Answers go to stdout,
 * with `--json` as one JSON value; errors go to stderr in one line.
 */
export async function runCommandLine(
  argv: readonly string[],
  parts: {
    readonly serve: Serve
    /** Called for every command that runs beside the service, before it loads anything. */
    readonly beside?: () => void
    readonly stdout?: Output
    readonly stderr?: Output
  },
): Promise<number> {
  const { serve, beside = () => {}, stdout = process.stdout, stderr = process.stderr } = parts
  const tell = (text: string): void => void stderr.write(`${inOneLine(text)}\n`)
  let failed = false
  const report = (answer: Answer, { json = false }: CommonOptions): void => {
    if ('refused' in answer) {
      failed = true
      for (const reason of [answer.refused].flat()) tell(`error: ${reason}`)
    }
    const shown = json ? JSON.stringify('json' in answer ? answer.json : undefined) : 'text' in answer && answer.text
    if (shown) stdout.write(`${shown}\n`)
    if ('failed' in answer && answer.failed !== undefined) {
      failed = true
      tell(`error: ${answer.failed}`)
    }
    if (!json && 'warnings' in answer) for (const warning of answer.warnings ?? []) tell(`warning: ${warning}`)
  }
  const common = (given: readonly unknown[]): CommonOptions => (given.at(-1) as Command).optsWithGlobals()
  const answering: Answering =
    (work) =>
    async (...given) =>
      report(await work(common(given), ...given), common(given))
  const act: Act =
    (work) =>
    async (...given) =>
      report(await withContext(common(given), (context) => work(context, ...given), report), common(given))

  const program = createProgram().configureOutput({
    writeOut: (text) => stdout.write(text),
    // Commander would print the whole help for an incomplete command.
    writeErr: () => {},
    outputError: (text) => tell(text),
  })
  addRunningCommands(program, { answering, serve })
  const adding = commandsFor(argv)
  if (adding.length > 0) beside()
  for (const add of adding) await add(program, { act, answering })

  try {
    // Without arguments, show what there is.
    await program.parseAsync(argv.length === 0 ? ['--help'] : argv, { from: 'user' })
    return failed ? exitCode.failed : exitCode.done
  } catch (error) {
    if (!(error instanceof CommanderError)) {
      tell(`error: ${error instanceof Error ? error.message : String(error)}`)
      return exitCode.failed
    }
    if (error.exitCode === 0) return exitCode.done
    if (error.code === 'commander.help') tell('error: the command is incomplete; see --help')
    return exitCode.wrongUse
  }
}

const inOneLine = (text: string): string =>
  text
    .trim()
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ')

/** `tocsin start` and `tocsin demo`, which load the service. */
function addRunningCommands(
  program: Command,
  { answering, serve }: { readonly answering: Answering; readonly serve: Serve },
): void {
  program
    .command('start')
    .description('run the service until it is stopped')
    .action(
      answering(async ({ config: file }) => {
        const read = configured(file)
        if ('refused' in read) return read
        await serve(read.config, read.file)
        return { json: undefined, text: '' }
      }),
    )
  program
    .command('demo')
    .description('play one SOS from start to end in the terminal, in under a minute')
    .option('--lora', 'the tracker is behind a LoRaWAN network server', false)
    .option('--drill', 'an exercise instead of an SOS', false)
    .action(async (options: { readonly lora: boolean; readonly drill: boolean }) =>
      (await import('./demo.ts')).runDemo(options),
    )
}

/** The whole command tree, to be described and not run: for the manual page and the completion of a release. */
export async function describedProgram(): Promise<Command> {
  const program = createProgram()
  const idle = () => async () => {}
  addRunningCommands(program, { answering: idle, serve: async () => {} })
  for (const add of Object.values(commands)) await add(program, { act: idle, answering: idle })
  return program
}

/** Commands added later inherit these settings. */
function createProgram(): Command {
  return new Command('tocsin')
    .description('Self-hosted, all-in-one service for emergency SOS alerts')
    .version(about())
    .option('--config <file>', 'the configuration file')
    .option('--json', 'print the answer as one JSON value on stdout')
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
}

/** `0.2.0 (1a2b3c4d5e6f; schema: SQLite 40, PostgreSQL 37)` */
function about(): string {
  const { version, commit } = release
  const schema = `SQLite ${newestSchema('sqlite')}, PostgreSQL ${newestSchema('postgres')}`
  return `${version} (${commit ?? 'a checkout'}; schema: ${schema})`
}
