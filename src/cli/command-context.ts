import { createIds } from '../adapters/platform/system/ids.ts'
import { becomeOwnerOf } from '../adapters/stores/sqlite/files/data-owner.ts'
import type { By } from '../app/operator/by.ts'
import { planSettings } from '../config/mail-server.ts'
import { type Config, problemText, readConfig } from '../config.ts'
import type { Application } from '../core/account/application.ts'
import { isUuid } from '../core/ingest/topic.ts'
import { COMMAND } from '../core/operator/audit.ts'
import type { Ids } from '../ports/ids.ts'
import type { Store } from '../ports/store.ts'
import { withStoredSettings } from '../service/site-config.ts'
import type { Answer, CommonOptions } from './answer.ts'

/** The stored state for a command, whether or not the service is running. */
export type CommandContext = {
  readonly store: Store
  readonly config: Config
  readonly ids: Ids
  /** Epoch ms, by the clock that the stored deadlines are set by: the machine's, or the database's. */
  readonly now: number
  /** The same, for commands that keep running. */
  readonly readNow: () => Promise<number>
  /** Prints an answer before the command is done, for commands that keep running. */
  readonly say: (answer: Answer) => void
}

/**
 * Makes a commander action of a function on the stored state. The function gets commander's arguments, options and
 * command.
 */
export type Act = <A extends unknown[]>(
  work: (context: CommandContext, ...given: A) => Promise<Answer>,
) => (...given: A) => Promise<void>

/** The configuration for a command, or one sentence with all its mistakes. */
export function configured(
  file: string | undefined,
): { readonly config: Config; readonly file: string | null } | { readonly refused: string } {
  const read = readConfig({ file, env: process.env, cwd: process.cwd() })
  if ('config' in read) return read
  const { length } = read.problems
  const mistakes = length === 1 ? 'a mistake' : `${length} mistakes`
  return { refused: `the configuration has ${mistakes}: ${read.problems.map(problemText).join('; ')}` }
}

/**
 * Opens the store, runs `work` and closes the store. A running service sees the changes within 2 s. keeping.md#notices.
 */
export async function withContext(
  options: CommonOptions,
  work: (context: CommandContext) => Promise<Answer>,
  report: (answer: Answer, options: CommonOptions) => void,
): Promise<Answer> {
  const read = configured(options.config)
  if ('refused' in read) return read
  becomeOwnerOf(read.config.dataDir)
  const { store, now, readNow } = await openConfigured(read.config)
  try {
    const config = await withStoredSettings(read.config, store)
    const say = (answer: Answer) => report(answer, options)
    return await work({ store, config, ids: createIds(), now, readNow, say })
  } finally {
    await store.close()
  }
}

/** The store that the configuration names, opened beside a running service, and the time by its clock. */
export async function openConfigured(config: Config): Promise<Pick<CommandContext, 'store' | 'now' | 'readNow'>> {
  const {
    dataDir,
    store: { url },
  } = config
  const parts = {
    defaults: planSettings(config),
    leaveNotices: true,
    log: { info() {}, warn() {}, error() {} },
    meter: { count() {}, observe() {} },
  }
  if (url !== null) {
    const { openPostgres } = await import('../adapters/stores/postgres/open-store.ts')
    const store = await openPostgres({ url: url.reveal(), ...parts })
    try {
      const { now, jumps } = await store.time.read()
      store.time.follow(jumps)
      return { store, now, readNow: async () => (await store.time.read()).now }
    } catch (error) {
      await store.close()
      throw error
    }
  }
  const { openStore } = await import('../adapters/stores/sqlite/open-store.ts')
  const readNow = async () => Date.now()
  return {
    store: await openStore({ dataDir, writesOnDemand: true, ...parts }),
    now: await readNow(),
    readNow,
  }
}

/** The command line as the audit log names it. */
export const byCommand = ({ now }: Pick<CommandContext, 'now'>): By => ({ actor: COMMAND, address: null, now })

export const NO_SUCH_APPLICATION = 'there is no application with this id; list them with: tocsin app list'

/** Finds the application that the operator named by its id or name, in either case. */
export async function findApplication(
  store: Store,
  named: string,
): Promise<{ readonly application: Application } | { readonly refused: string }> {
  if (isUuid(named)) {
    const application = await store.application(named.toLowerCase())
    return application === null ? { refused: NO_SUCH_APPLICATION } : { application }
  }
  const wanted = named.trim().toLowerCase()
  const [application, ...others] = (await store.applications()).filter(({ name }) => name.toLowerCase() === wanted)
  if (application === undefined) {
    return { refused: 'there is no application with this id or name; list them with: tocsin app list' }
  }
  if (others.length === 0) return { application }
  const ids = [application, ...others].map(({ id }) => id).join(', ')
  return { refused: `more than one application is called ${named}: ${ids}` }
}
