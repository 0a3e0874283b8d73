import { setImmediate } from 'node:timers/promises'
import type { User } from '../../../core/account/profile.ts'
import type {
  CutLetter,
  HardwareRow,
  OutboxMessage,
  Page,
  PageQuery,
  RunningTimer,
  ScopedQuery,
  UserFeedback,
} from '../../../ports/store.ts'
import { cursorOf, readCursor } from './cursor.ts'

/** Rows read at a time. On SQLite reading them blocks the thread for a few milliseconds. */
const CHUNK_ROWS = 500
/** Rows examined for one page. */
const MAX_SCANNED = 20_000
/** Bytes of a dead letter's payload on a page. */
export const EXCERPT_BYTES = 4096

type Key = readonly (string | number)[]

/** The order of a list. */
type OrderedList<Row> = {
  readonly name: string
  readonly keyTypes: readonly ('number' | 'string')[]
  readonly keyOf: (row: Row) => Key
  readonly chunkRows?: number
}

/** One list: its order, and the text of a row that is searched. */
export type ScopedList<Row> = OrderedList<Row> & {
  /** Null: of no application; visible only to callers who may see all of them. */
  readonly appOf: (row: Row) => string | null
  readonly textsOf: (row: Row) => readonly (string | null)[]
  /** Rows that do not match are not shown. */
  readonly shows?: (row: Row) => boolean
  /** Its key begins with the application. */
  readonly isByApplication?: true
}

/** The rows behind a key, or the first ones. */
type Read<Row> = (after: Key | null, limit: number) => readonly Row[] | Promise<readonly Row[]>

/** A page of the rows that belong to one of the applications and contain the text. */
export function scopedPage<Row>(list: ScopedList<Row>, query: ScopedQuery, read: Read<Row>): Promise<Page<Row>> {
  const { appIds, text } = query
  const { appOf, textsOf, shows } = list
  const wanted = text?.toLowerCase() ?? ''
  const fits = (row: Row): boolean => {
    const appId = appOf(row)
    if (appIds !== null && (appId === null || !appIds.includes(appId))) return false
    if (shows?.(row) === false) return false
    return wanted === '' || textsOf(row).some((part) => part?.toLowerCase().includes(wanted) === true)
  }
  return filteredPage(list, query, { read, fits, goOnAt: list.isByApplication ? inScope(appIds) : undefined })
}

/**
 * The place where a list continues after a key: the key itself, or the start of the scope's next application; null
 * after the last one. Rows of applications in between are not read, and no cursor names one.
 */
function inScope(appIds: readonly string[] | null): (key: Key) => Key | null {
  if (appIds === null) return (key) => key
  const scope = [...appIds].sort()
  return (key) => {
    const next = scope.find((appId) => appId >= String(key[0]))
    return next === undefined ? null : next === key[0] ? key : [next, '']
  }
}

/** A page of a list that is read in chunks in its order, and filtered here, so that both stores find the same. */
export async function filteredPage<Row>(
  { name, keyTypes, keyOf, chunkRows = CHUNK_ROWS }: OrderedList<Row>,
  { after, limit }: PageQuery,
  {
    read,
    fits,
    goOnAt = (key) => key,
  }: {
    readonly read: Read<Row>
    readonly fits: (row: Row) => boolean
    readonly goOnAt?: ((key: Key) => Key | null) | undefined
  },
): Promise<Page<Row>> {
  const items: Row[] = []
  let key = after === null ? null : readCursor(after, name, keyTypes)
  if (after !== null && key === null) return { items, after: null, badCursor: true }
  // Small at first: without a text to look for, most pages are full after one chunk.
  let chunk = Math.min(chunkRows, limit + 1)
  for (let scanned = 0; scanned < MAX_SCANNED; scanned += chunk) {
    if (scanned > 0) {
      await setImmediate()
      chunk = Math.min(chunkRows, 2 * chunk)
    }
    const rows = await read(key, chunk)
    for (const [at, row] of rows.entries()) {
      key = keyOf(row)
      if (!fits(row)) continue
      items.push(row)
      const isEnd = rows.length < chunk && at === rows.length - 1
      if (items.length >= limit) return { items, after: isEnd ? null : cursorOf(name, key) }
    }
    if (rows.length < chunk || key === null) return { items, after: null }
    key = goOnAt(key)
    if (key === null) return { items, after: null }
  }
  return { items, after: key === null ? null : cursorOf(name, key) }
}

/** The lowest and the highest application of a scope, which bound the part of the list that is read. */
export const boundsOf = ({ appIds }: Pick<ScopedQuery, 'appIds'>): readonly [low: string, high: string] => {
  if (appIds === null) return ['', '~']
  const sorted = [...appIds].sort()
  return [sorted[0] ?? '~', sorted.at(-1) ?? '']
}

export const userList: ScopedList<User> = {
  name: 'users',
  isByApplication: true,
  keyTypes: ['string', 'string'],
  keyOf: ({ appId, externalUserId }) => [appId, externalUserId],
  appOf: ({ appId }) => appId,
  textsOf: ({ externalUserId, name, phone, email, groupNames }) => [
    externalUserId,
    name,
    phone,
    email,
    ...(groupNames ?? []),
  ],
}

const hardwareList: ScopedList<HardwareRow & { readonly appId: string }> = {
  name: 'hardware',
  isByApplication: true,
  keyTypes: ['string', 'string'],
  keyOf: ({ appId, hardwareId }) => [appId, hardwareId],
  appOf: ({ appId }) => appId,
  textsOf: ({ hardwareId, model, externalUserId }) => [hardwareId, model, externalUserId],
}

/** All registered trackers, or those that are silent. */
export const hardwareListOf = ({ onlySilent = false }: { readonly onlySilent?: boolean }): typeof hardwareList =>
  onlySilent ? { ...hardwareList, shows: ({ silentSince }) => silentSince !== null } : hardwareList

export const timerList: ScopedList<RunningTimer> = {
  name: 'timers',
  keyTypes: ['number', 'string'],
  keyOf: ({ opensAt, id }) => [opensAt, id],
  appOf: ({ appId }) => appId,
  textsOf: ({ externalUserId, userName, note }) => [externalUserId, userName, note],
}

export const outboxList: ScopedList<OutboxMessage & { readonly appId: string | null }> = {
  name: 'outbox',
  keyTypes: ['number'],
  keyOf: ({ id }) => [id],
  appOf: ({ appId }) => appId,
  textsOf: ({ text, to }) => [text, to],
}

export const letterList: ScopedList<CutLetter> = {
  name: 'dead-letters',
  keyTypes: ['number'],
  keyOf: ({ id }) => [id],
  appOf: ({ appId }) => appId,
  textsOf: ({ topic, reason }) => [topic, reason],
  chunkRows: 100,
}

export const feedbackList: ScopedList<UserFeedback> = {
  name: 'feedback',
  keyTypes: ['number', 'string'],
  keyOf: ({ createdAt, id }) => [createdAt, id],
  appOf: ({ appId }) => appId,
  textsOf: ({ message, category, externalUserId }) => [message, category, externalUserId],
  chunkRows: 100,
}
