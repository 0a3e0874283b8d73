import { lookAtDatabase } from '../adapters/stores/sqlite/upkeep/quick-check.ts'
import { NotExamined } from '../app/doctor/examine.ts'
import type { Config } from '../config.ts'
import { SECOND } from '../lib/durations.ts'
import type { Store } from '../ports/store.ts'
import { withStoredSettings } from '../service/site-config.ts'
import { openConfigured } from './command-context.ts'

type Opened = { readonly store: Store; readonly readNow: () => Promise<number> }

/** The store, opened for the first who needs it. Only as it is: a command that looks must not upgrade it. */
export function openedOnce(config: Config) {
  const look = async (): Promise<Opened> => {
    const { url } = config.store
    const seen = url === null ? databaseAt(config) : await databaseServer(url.reveal()).catch(() => null)
    if (seen === null) throw new NotExamined('no database can be read here')
    if (seen.schema !== seen.known) throw new NotExamined('the database has another schema')
    return openConfigured(config).catch((error) => {
      throw new NotExamined(error instanceof Error ? error.message : 'the database cannot be opened')
    })
  }
  let opening: Promise<Opened> | null = null
  return {
    open(): Promise<Opened> {
      opening ??= look()
      return opening
    },
    async close() {
      const opened = await opening?.catch(() => null)
      await opened?.store.close()
    },
  }
}

function databaseAt({ dataDir }: Config) {
  try {
    return lookAtDatabase(dataDir)
  } catch {
    return null
  }
}

export const databaseServer = async (url: string) =>
  (await import('../adapters/stores/postgres/look-at-server.ts')).lookAtServer(url)

export type OpenedOnce = ReturnType<typeof openedOnce>

/** A command that looks does not wait longer for a store that hangs. */
const PATIENCE_MS = 5 * SECOND

/** `config` with the console's settings; unchanged if the store cannot be read in time. */
export async function configInForce(config: Config, opened: OpenedOnce): Promise<Config> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<Config>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS, config)
  })
  const stored = opened.open().then(({ store }) => withStoredSettings(config, store))
  try {
    return await Promise.race([stored, late])
  } catch {
    return config
  } finally {
    clearTimeout(timer)
  }
}
