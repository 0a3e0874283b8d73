import type pg from 'pg'
import { StoreError } from '../../../../ports/store.ts'
import { Connection, type Wire } from './connection.ts'
import { POOLER } from './failure.ts'

/** Older versions get no more fixes. */
const OLDEST_VERSION = 14

/** Time limits of a session. The defaults suit everything but leases and tests. */
export type SessionLimits = {
  readonly connectTimeoutMs?: number
  readonly lockTimeoutMs?: number
  readonly statementTimeoutMs?: number
  readonly commitTimeoutMs?: number
  /** Longer than the server's own limits: it is for a connection that is dead. */
  readonly answerTimeoutMs?: number
}

const LOCK_TIMEOUT_MS = 2_000
const STATEMENT_TIMEOUT_MS = 5_000

/**
 * Settings of every session. A commit must have reached the standbys that the server waits for, so `synchronous_commit`
 * is never weaker than `on`, whatever the server is configured for. A frozen node must not hold its locks.
 * `tocsin.session` means nothing to the server: it shows that the session keeps its settings, and is not shared with
 * another client, as behind a pooler of transactions. `jit` starts by an estimate, and then compiles a statement of a
 * millisecond for seconds, each time.
 */
const sessionSql = ({
  lockTimeoutMs = LOCK_TIMEOUT_MS,
  statementTimeoutMs = STATEMENT_TIMEOUT_MS,
}: SessionLimits): string => `
  SELECT current_setting('tocsin.session', true) = 'on' AS "isShared";
  SET tocsin.session = 'on';
  SET lock_timeout = ${lockTimeoutMs};
  SET statement_timeout = ${statementTimeoutMs};
  SET idle_in_transaction_session_timeout = '5s';
  SET jit = off;
  SET default_transaction_isolation = 'read committed';
  SELECT set_config(
    'synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, false
  );
  SELECT pg_is_in_recovery() AS "isStandby", current_setting('server_version_num')::integer / 10000 AS version,
    current_setting('server_version') AS "versionText", current_setting('server_encoding') AS encoding,
    current_setting('transaction_read_only') = 'on' AS "isReadOnly"`

/** Runs in a later transaction than the settings: a pooler of transactions may switch sessions in between. */
const HAS_SETTINGS = `SELECT current_setting('tocsin.session', true) = 'on' AS "hasSettings"`

type Facts = {
  readonly isStandby: boolean
  readonly version: number
  readonly versionText: string
  readonly encoding: string
  readonly isReadOnly: boolean
}

/** Sets up a new connection as one of our sessions. */
export async function sessionOn(wire: Wire, limits: SessionLimits): Promise<Connection> {
  // A text of several statements has several results, which the types of `pg` do not say.
  const results = (await wire.client.query(sessionSql(limits))) as unknown as readonly pg.QueryResult[]
  const first: { readonly isShared: boolean | null } | undefined = results[0]?.rows[0]
  if (first?.isShared === true) throw unsuitable(POOLER)
  const facts: Facts | undefined = results.at(-1)?.rows[0]
  if (facts === undefined) throw new Error('it does not answer like a PostgreSQL server')
  if (facts.version < OLDEST_VERSION) {
    throw unsuitable(`the database server is PostgreSQL ${facts.versionText}; Tocsin needs ${OLDEST_VERSION} or later`)
  }
  if (facts.encoding !== 'UTF8') {
    throw unsuitable(
      `the database has the encoding ${facts.encoding}; create one with: CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0`,
    )
  }
  if (facts.isStandby) throw new Error('it is a standby')
  if (facts.isReadOnly) throw new Error('it only allows reading (default_transaction_read_only)')
  return new Connection(wire, limits)
}

/** Rejects with a sentence for the operator if the session has lost its settings since `sessionOn`. */
export async function refuseUnsettled(connection: Connection): Promise<void> {
  const [row] = await connection.rows<{ hasSettings: boolean | null }>(HAS_SETTINGS)
  if (row?.hasSettings === true) return
  void connection.close()
  throw unsuitable(POOLER)
}

const unsuitable = (message: string): StoreError => new StoreError(message, 'fault')
