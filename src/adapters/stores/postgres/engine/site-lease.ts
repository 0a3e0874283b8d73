import type { Log } from '../../../../ports/log.ts'
import { StoreError } from '../../../../ports/store.ts'
import type { Pool } from './pool.ts'

/** How long the site stays with a node that does not renew its lease, and how often one does. */
const LEASE_MS = 15_000
const RENEW_MS = LEASE_MS / 3

/** By the clock of the database, which all nodes share. Of two who take the row at once, the second sees the first. */
const NOW = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint'
const TAKE = {
  name: 'take-site',
  text: `INSERT INTO site_lease AS held (only_row, node, lease_until) VALUES (true, $1, ${NOW} + ${LEASE_MS})
    ON CONFLICT (only_row) DO UPDATE SET node = excluded.node, lease_until = excluded.lease_until
    WHERE held.node = excluded.node OR held.lease_until < ${NOW}
    RETURNING node`,
}
const GIVE_BACK = 'UPDATE site_lease SET lease_until = 0 WHERE node = $1'

type Parts = {
  /** One session, for nothing else: a lease must not wait for writes. */
  readonly pool: Pool
  /** A service that is killed and started again under the same name goes on at once. */
  readonly node: string
  readonly log: Log
  /** Called once, if another service has the site now: this one must not send any more. */
  readonly onLost: (error: Error) => void
  readonly renewMs?: number
}

/**
 * Keeps a second service off the database: until nodes share the sending, two would send everything twice. Rejects with
 * a sentence for the operator while another service has the lease. Resolves with a function that gives it back.
 */
export async function leaseSite({ pool, node, log, onLost, renewMs = RENEW_MS }: Parts): Promise<() => Promise<void>> {
  const take = async (): Promise<boolean> =>
    (await pool.use((connection) => connection.rows(TAKE, [node]))).length === 1
  if (!(await take())) {
    throw new StoreError(
      `another service runs on this database, or did until ${LEASE_MS / 1000} s ago; stop it first: two would send every message twice`,
      'fault',
    )
  }
  let timer: NodeJS.Timeout | undefined
  let renewing = Promise.resolve()
  const renew = async (): Promise<void> => {
    try {
      if (!(await take())) {
        onLost(new StoreError('another service has taken this database over', 'fault'))
        return
      }
    } catch (error) {
      // Without the database it cannot claim anything either.
      log.warn({ err: error }, 'could not renew the lease of this site')
    }
    schedule()
  }
  const schedule = (): void => {
    timer = setTimeout(() => {
      renewing = renew()
    }, renewMs)
    timer.unref()
  }
  schedule()
  return async () => {
    clearTimeout(timer)
    await renewing
    clearTimeout(timer)
    await pool.use((connection) => connection.run(GIVE_BACK, [node])).catch(() => {})
  }
}
