import { setImmediate } from 'node:timers/promises'
import { isCanary } from '../../../core/account/canary.ts'
import type { IncidentStatus } from '../../../core/incident/incident.ts'
import type { BoardRecord, IncidentFilter, Page, PageQuery } from '../../../ports/store.ts'
import { filteredPage } from './scoped-page.ts'

/** Candidates read in full before alarms get their turn. */
const READ_AT_ONCE = 25

/** The fields of an incident that the filter reads. `status`: null unless the filter needs it. */
export type Candidate = {
  readonly number: number
  readonly id: string
  readonly appId: string
  readonly openedAt: number
  readonly status: IncidentStatus | null
  /** As of the last change (`urgencyOf`). */
  readonly urgency: number
  readonly externalUserId: string
  readonly name: string | null
  readonly phone: string | null
}

/** Opened at this moment, under this number; among open ones behind those that are more urgent. */
export type BoardPlace = { readonly urgency: number; readonly openedAt: number; readonly number: number }

/** The reads that a list needs of a store. */
export type BoardReads = {
  /**
   * The next `limit` candidates behind `place`, in the state, time and single application of the filter. Open ones by
   * urgency, and the longest open first; others the newest first.
   */
  candidates(filter: IncidentFilter, place: BoardPlace, limit: number): Promise<readonly Candidate[]>
  /** In the order of the numbers, without those deleted meanwhile. */
  records(numbers: readonly number[]): Promise<readonly BoardRecord[]>
}

type Key = readonly (string | number)[]
/** The order of a list, and its first place. */
const newestFirst = {
  list: {
    name: 'board',
    keyTypes: ['number', 'number'],
    keyOf: ({ openedAt, number }: Candidate): Key => [openedAt, number],
  },
  first: [Number.MAX_SAFE_INTEGER - 1, Number.MAX_SAFE_INTEGER - 1],
  placeOf: ([openedAt, number]: Key): BoardPlace => ({
    urgency: 0,
    openedAt: Number(openedAt),
    number: Number(number),
  }),
} as const
const mostUrgentFirst = {
  list: {
    name: 'open-board',
    keyTypes: ['number', 'number', 'number'],
    keyOf: ({ urgency, openedAt, number }: Candidate): Key => [urgency, openedAt, number],
  },
  first: [-1, 0, 0],
  placeOf: ([urgency, ...rest]: Key): BoardPlace => ({ ...newestFirst.placeOf(rest), urgency: Number(urgency) }),
} as const

/** A page of the list of `filter`. The process does its other work in between. */
export async function boardPage(
  { candidates, records }: BoardReads,
  filter: IncidentFilter,
  page: PageQuery,
): Promise<Page<BoardRecord>> {
  const { list, first, placeOf } = filter.state === 'open' ? mostUrgentFirst : newestFirst
  const { items: shown, ...rest } = await filteredPage(list, page, {
    read: (key, limit) => candidates(filter, placeOf(key ?? first), limit),
    fits: matcherOf(filter),
  })
  const items = await recordsInTurns(
    { records },
    shown.map(({ number }) => number),
  )
  return { items, ...rest }
}

/** Records with pauses: alarms get their turn in between. */
export async function recordsInTurns(
  { records }: Pick<BoardReads, 'records'>,
  numbers: readonly number[],
): Promise<readonly BoardRecord[]> {
  const items: BoardRecord[] = []
  for (let from = 0; from < numbers.length; from += READ_AT_ONCE) {
    items.push(...(await records(numbers.slice(from, from + READ_AT_ONCE))))
    await setImmediate()
  }
  return items
}

type PersonColumns = Omit<BoardRecord['person'], 'groups'> & { readonly groups: readonly string[] | null }

/** The person of a row. */
export const boardPerson = ({ name, phone, groups }: PersonColumns): BoardRecord['person'] => ({
  name,
  phone,
  ...(groups !== null && groups.length > 0 && { groups }),
})

const folded = (text: string): string => text.normalize('NFKC').toLowerCase()

/** The phone as people type it: with spaces, or with 00 instead of the plus sign. */
const digitsOf = (text: string): string | null => {
  const digits = text.replace(/[\s()/.-]/g, '').replace(/^00/, '+')
  return /^\+?\d{3,}$/.test(digits) ? digits : null
}

function matcherOf({ applications, statuses, text }: IncidentFilter): (one: Candidate) => boolean {
  const words = text === null ? '' : folded(text.trim())
  const digits = text === null ? null : digitsOf(text)
  const scope = applications && new Set(applications)
  return ({ id, appId, status, externalUserId, name, phone }) => {
    if (isCanary(appId) || scope?.has(appId) === false) return false
    if (statuses !== null && (status === null || !statuses.includes(status))) return false
    if (words === '' || id.startsWith(words) || folded(externalUserId).includes(words)) return true
    if (name !== null && folded(name).includes(words)) return true
    return digits !== null && phone?.includes(digits) === true
  }
}
