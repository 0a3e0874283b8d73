import type { Log } from '../../../../ports/log.ts'
import type { StoreServer } from '../../../../ports/store.ts'
import type { Reader } from '../engine/reader.ts'

const LOOK_EVERY_MS = 10_000

/** The server's settings against losses. Roles that may not see the state of standbys see their number. */
export const FACTS = `SELECT current_setting('fsync') = 'on' AS fsync, current_setting('full_page_writes') = 'on' AS "fullPages",
    current_setting('synchronous_standby_names') <> '' AS "waitsForStandby",
    (SELECT count(*) FROM pg_stat_replication)::integer AS standbys,
    (SELECT count(*) FROM pg_stat_replication
      WHERE coalesce(sync_state, 'sync') IN ('sync', 'quorum'))::integer AS "synchronousStandbys"`

export type ServerFacts = {
  readonly fsync: boolean
  readonly fullPages: boolean
  readonly waitsForStandby: boolean
  readonly standbys: number
  readonly synchronousStandbys: number
}

/**
 * The reason, for the operator, why acknowledged writes may be lost although everything works. `expectsStandby`:
 * several hosts are listed, or there has been a standby; a single server on purpose has none to miss.
 */
export function concernsAbout(facts: ServerFacts, expectsStandby: boolean): readonly string[] {
  const { fsync, fullPages, waitsForStandby, synchronousStandbys } = facts
  const isUnprotected = !(waitsForStandby && synchronousStandbys > 0)
  return [
    ...(isUnprotected && (expectsStandby || waitsForStandby)
      ? ['no synchronous standby protects acknowledged alerts: if the database server is lost now, so are the newest']
      : []),
    ...(fsync ? [] : ['fsync is off on the database server: a power cut loses acknowledged alerts']),
    ...(fullPages ? [] : ['full_page_writes is off on the database server: a power cut may damage the database']),
  ]
}

/** Looks at the server every 10 s. `severalHosts`: the site means to have a standby. */
export function watchServer(
  reader: Reader,
  { severalHosts, log }: { readonly severalHosts: boolean; readonly log: Log },
): StoreServer & { stop(): Promise<void> } {
  let facts: ServerFacts | null = null
  let hadStandby = false
  let concerns: readonly string[] = []
  let timer: NodeJS.Timeout | undefined
  let isStopped = false

  const look = async (): Promise<void> => {
    // If the server cannot be asked, the test write reports it.
    const seen = await reader.row<ServerFacts>(FACTS).catch(() => null)
    if (seen !== null) {
      facts = seen
      hadStandby ||= seen.standbys > 0
      const found = concernsAbout(seen, severalHosts || hadStandby)
      for (const concern of found) if (!concerns.includes(concern)) log.warn({}, concern)
      if (concerns.length > 0 && found.length === 0) log.info({}, 'the database server protects what is acknowledged')
      concerns = found
    }
    if (isStopped) return
    timer = setTimeout(() => {
      looking = look()
    }, LOOK_EVERY_MS)
    timer.unref()
  }
  let looking = look()

  return {
    concerns: () => concerns,
    synchronousStandbys: () => facts?.synchronousStandbys ?? null,
    async stop() {
      isStopped = true
      clearTimeout(timer)
      await looking
    },
  }
}
