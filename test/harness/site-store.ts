import { openPostgres } from '../../src/adapters/stores/postgres/open-store.ts'
import { openStore } from '../../src/adapters/stores/sqlite/open-store.ts'
import { defaultSettings } from '../../src/core/account/settings.ts'
import type { Store } from '../../src/ports/store.ts'
import { placeDatabase } from '../fixtures/new-database.ts'
import { sharedPostgres } from './postgres.ts'
import { newSiteDatabase } from './site-database.ts'

/** Whether the sites of this run are on PostgreSQL, rather than on SQLite: `TOCSIN_TEST_STORE=postgres`. */
export const isOnPostgres = process.env.TOCSIN_TEST_STORE === 'postgres'

/** The `skip` of a test that only makes sense on SQLite: why, or false. */
export const onlyOnSqlite = (reason: string): string | false => isOnPostgres && `only on SQLite: ${reason}`

/**
 * How far a virtual clock goes at a time over an hour and more, and in proportion over other long ways
 * (`virtual-clock.ts`): a node of several looks every second whether another has left it something.
 */
export const STRIDE_MS = isOnPostgres ? 60_000 : 0

/** The store of one site. */
export type SiteStore = {
  /** `store.url` of the site. Null: SQLite in the data directory. */
  readonly url: string | null
  /** Removes what the site leaves outside its data directory. */
  remove(): Promise<void>
}

/** Where the tracking links of a site lead. Nobody answers there; a link to this machine would be left out of texts. */
export const PUBLIC_URL = 'https://sos.example.org'

/** The part of a configuration that names it. */
export const storeConfig = ({ url }: Pick<SiteStore, 'url'>): Readonly<Record<string, unknown>> => ({
  publicUrl: PUBLIC_URL,
  ...(url !== null && { store: { url } }),
})

/** The environment of a process on the database at `url`. */
export const storeEnvironment = (url: string): Readonly<Record<string, string>> => ({
  TOCSIN_STORE_URL: url,
  TOCSIN_PUBLIC_URL: PUBLIC_URL,
})

/** An empty store for a site, on what this run is about. `dataDir`: if it is new. */
export async function newSiteStore(dataDir: string | null): Promise<SiteStore> {
  if (!isOnPostgres) {
    if (dataDir !== null) await placeDatabase(dataDir)
    return { url: null, remove: () => Promise.resolve() }
  }
  const [server, name] = await Promise.all([sharedPostgres(), newSiteDatabase()])
  return { url: server.url(name), remove: () => server.dropDatabase(name) }
}

/** Every row of the database, as text. */
export async function everyRow(url: string): Promise<Buffer> {
  const session = await (await sharedPostgres()).session(url.slice(url.lastIndexOf('/') + 1))
  try {
    const { rows: tables } = await session.query<{ name: string }>(
      "SELECT relname AS name FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace",
    )
    // What clients have sent stays readable.
    await session.query("SET bytea_output = 'escape'")
    const texts: string[] = []
    for (const { name } of tables) {
      const { rows } = await session.query<{ row: string }>(`SELECT ${name}::text AS row FROM ${name}`)
      texts.push(...rows.map(({ row }) => row))
    }
    return Buffer.from(texts.join('\n'))
  } finally {
    await session.end()
  }
}

type Place = { readonly dataDir: string; readonly url: string | null }

/** Opens the store of a site as a command does, with or without a service beside it. */
export function openBeside({ dataDir, url }: Place): Promise<Store> {
  const nobody = (): void => {}
  const options = {
    defaults: defaultSettings,
    leaveNotices: true,
    log: { info: nobody, warn: nobody, error: nobody },
    meter: { count: nobody, observe: nobody },
  }
  return url === null ? openStore({ dataDir, writesOnDemand: true, ...options }) : openPostgres({ url, ...options })
}

/** Runs `work` on the store of a site. */
export async function lookInto<T>(place: Place, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openBeside(place)
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

/** The store of a site for many looks. */
export type Looks = {
  /** Runs `work` on it. */
  look<T>(work: (store: Store) => Promise<T>): Promise<T>
  /** After the last look. */
  close(): Promise<void>
}

/**
 * On PostgreSQL it stays open from the first look on, because to open it takes longer than a look does. On SQLite it is
 * opened for each: a kill must leave nobody behind who has the database open.
 */
export function looksInto(place: Place, open: typeof openBeside = openBeside): Looks {
  if (place.url === null) return { look: (work) => lookInto(place, work), close: () => Promise.resolve() }
  let opened: Promise<Store> | null = null
  return {
    async look(work) {
      opened ??= open(place).catch((error) => {
        // The server may have been away: the next look opens it again.
        opened = null
        throw error
      })
      return work(await opened)
    },
    async close() {
      const store = await opened?.catch(() => null)
      opened = null
      await store?.close()
    },
  }
}
