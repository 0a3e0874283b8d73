import pg from 'pg'
import { StoreError } from '../../../../ports/store.ts'

/** A failure of the database, for the engine. */
export type DatabaseFailure = {
  readonly kind: StoreError['kind']
  readonly message: string
  /** It concerns the server or the connection, and every write beside this one. */
  readonly concernsAll: boolean
  /** The same writes may succeed at once: a deadlock, or a conflict between transactions. */
  readonly isPassing: boolean
}

export const sentences = {
  closed: 'the store is closed',
  overloaded: 'too many writes are waiting for the database',
  unknown: 'the database did not answer to a commit: it may or may not have been stored',
} as const

export const failed = (kind: keyof typeof sentences): StoreError => new StoreError(sentences[kind], kind)

export const POOLER =
  'the session is shared with others, or has lost its settings: a pooler between the service and the database has to pool sessions, not transactions'
export const NO_SESSION = 'the database server has no session left; raise its max_connections, or the limit of the role'

const LEFT = 'the site has been copied elsewhere; nothing was stored here'

/** `says`: instead of the server's own words; `advice`: behind them. */
type Meaning = Omit<DatabaseFailure, 'message'> & { readonly says?: string; readonly advice?: string }

const NOT_NULL_VIOLATION = '23502'

const one = { concernsAll: false, isPassing: false } as const
const all = { concernsAll: true, isPassing: false } as const

/**
 * By SQLSTATE, or its class (two characters). https://www.postgresql.org/docs/current/errcodes-appendix.html. An
 * unlisted state is a fault of the statement.
 */
const meanings: Readonly<Record<string, Meaning>> = {
  '40001': { ...one, kind: 'busy', isPassing: true },
  '40P01': { ...one, kind: 'busy', isPassing: true },
  '55P03': { ...one, kind: 'busy', says: 'another transaction has the row locked' },
  '57014': { ...one, kind: 'busy', says: 'the database took too long' },
  '42501': { ...one, kind: 'fault', advice: 'the role has to own the database: ALTER DATABASE … OWNER TO …' },
  '26000': { ...one, kind: 'fault', says: POOLER },
  '42P05': { ...one, kind: 'fault', says: POOLER },
  '53100': { ...all, kind: 'disk_full', says: 'the disk of the database is full' },
  '53300': { ...all, kind: 'unreachable', says: NO_SESSION },
  '53': { ...all, kind: 'overloaded' },
  '08': { ...all, kind: 'unreachable' },
  '57P': { ...all, kind: 'unreachable' },
  '25006': {
    ...all,
    kind: 'unreachable',
    says: 'the database server has become read-only: it is no longer the primary',
  },
  '25P03': { ...all, kind: 'unreachable', says: 'the database ended a transaction that made no progress' },
}

/** Classifies an error that a query or a connection has thrown. */
export function failureOf(error: unknown): DatabaseFailure {
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof StoreError) {
    const concernsAll = ['unreachable', 'unknown', 'closed'].includes(error.kind)
    return { kind: error.kind, message, concernsAll, isPassing: false }
  }
  // Of our own making: the connection turns every other error of the driver into a StoreError.
  if (!(error instanceof pg.DatabaseError)) return { ...one, kind: 'fault', message }
  const { says = message, advice, ...meaning } = meaningOf(error)
  return { ...meaning, message: advice === undefined ? says : `${says}; ${advice}` }
}

function meaningOf({ code = '', column }: pg.DatabaseError): Meaning {
  // `raiseMoment` writes a null there.
  if (code === NOT_NULL_VIOLATION && column === 'newest_moment') return { ...all, kind: 'fault', says: LEFT }
  return meanings[code] ?? meanings[code.slice(0, 3)] ?? meanings[code.slice(0, 2)] ?? { ...one, kind: 'fault' }
}

export function toStoreError(error: unknown): StoreError {
  if (error instanceof StoreError) return error
  const { kind, message } = failureOf(error)
  return new StoreError(message, kind, { cause: error })
}

/** The SQLSTATE of an error that the server has reported, or null. */
export const sqlStateOf = (error: unknown): string | null =>
  error instanceof pg.DatabaseError ? (error.code ?? null) : null

/** Whether the server, or its limit for the role, has no session left for another connection. */
export const isServerFull = (error: unknown): boolean =>
  sqlStateOf(error) === '53300' || (error instanceof StoreError && sqlStateOf(error.cause) === '53300')
