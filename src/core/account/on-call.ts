import { DAY, MINUTE } from '../../lib/durations.ts'
import { lastDayWith, momentOn } from '../text/time-of-day.ts'

/** Somebody who may be on duty. `operatorId`: their account, with which they may take a duty over; null: none. */
export type OnCallPerson = {
  readonly id: string
  readonly name: string
  /** E.164. Entered by an administrator, and told so. */
  readonly phone: string
  readonly language: string
  readonly operatorId: string | null
  /** The text that told this number that it is on the list. Null: not sent yet. `accepted`: a provider took it. */
  readonly told: { readonly at: number; readonly phone: string; readonly accepted: boolean } | null
  /** Their account is disabled: they have no duties. Read from the accounts, never stored. */
  readonly isDisabled?: true
}

/** `personId` is on duty from `from` until `until` (epoch ms), whatever the rotation says. */
export type OnCallOverride = {
  readonly id: string
  readonly personId: string
  readonly from: number
  readonly until: number
  readonly setAt: number
}

/**
 * The people who take turns. Dates and hours are of `timeZone`, so that a hand-over stays at its hour when the clocks
 * change.
 */
type Rotation = {
  /** IANA. */
  readonly timeZone: string
  /** `08:00`. */
  readonly handOverAt: string
  /** `2026-11-30`: the day on which the first of `order` begins. */
  readonly startsOn: string
  /** The number of days that each of them has. */
  readonly everyDays: number
  /** Ids of people, in turn. The same one may have several turns. */
  readonly order: readonly string[]
}

/** The on-call list of a site. on-call.md. */
export type OnCall = Rotation & {
  /** How long an alarm waits for somebody who takes it before the person on duty is alerted. */
  readonly afterMinutes: number
  readonly people: readonly OnCallPerson[]
  /** In the order in which they were set: of two that overlap, the later one counts. */
  readonly overrides: readonly OnCallOverride[]
  /**
   * Grows with every change but that of an override, so that nobody overwrites what they have not seen, and nobody who
   * takes a duty keeps an administrator from saving.
   */
  readonly version: number
  /** When somebody last changed it or said that it is right. Epoch ms. */
  readonly reviewedAt: number
}

/** The on-call list with the moment (epoch ms) at which an operator last had the board open; null: not known. */
export type OnCallPlan = { readonly list: OnCall; readonly watchedAt: number | null }

/** By application, and under `*` for those who see all: when an operator last had the board open. Epoch ms. */
export type BoardWatch = Readonly<Record<string, number>>

export const ALL_APPLICATIONS = '*'

/** The newest moment at which an operator had the board of this application open. */
export function watchedAtOf(watch: BoardWatch | null, appId: string): number | null {
  const moments = [watch?.[ALL_APPLICATIONS], watch?.[appId]].filter((at) => at !== undefined)
  return moments.length === 0 ? null : Math.max(...moments)
}

/** Moments older than this are dropped. */
const WATCH_KEPT_MS = DAY

/** `scopes`: application ids or `*`. `at`: epoch ms. */
export const withBoardWatch = (watch: BoardWatch | null, scopes: readonly string[], at: number): BoardWatch => ({
  ...Object.fromEntries(Object.entries(watch ?? {}).filter(([, seen]) => Math.abs(at - seen) < WATCH_KEPT_MS)),
  ...Object.fromEntries(scopes.map((scope) => [scope, at])),
})

/** A duty, from `from` until `until` (epoch ms). `person` null: a gap. */
export type Duty = {
  readonly from: number
  readonly until: number
  readonly person: OnCallPerson | null
  readonly overrideId: string | null
}

/** Days since 1970-01-01 of a date such as `2026-11-30`. */
const dayOf = (date: string): number => Math.floor(Date.parse(`${date}T00:00:00Z`) / DAY)

type OnDuty = Pick<Duty, 'person' | 'overrideId'>

/** The list with what the accounts of its people say. `disabled`: ids of operators. */
export const withAccounts = (onCall: OnCall, disabled: readonly string[]): OnCall => ({
  ...onCall,
  people: onCall.people.map(({ isDisabled: _, ...person }) =>
    person.operatorId !== null && disabled.includes(person.operatorId)
      ? { ...person, isDisabled: true as const }
      : person,
  ),
})

const serving = ({ people }: OnCall, id: string): OnCallPerson | undefined =>
  people.find((person) => person.id === id && !person.isDisabled)

/** The newest override that covers the moment, of somebody who can serve. */
const overrideAt = (onCall: OnCall, now: number): OnCallOverride | undefined =>
  onCall.overrides.findLast(
    ({ from, until, personId }) => from <= now && now < until && serving(onCall, personId) !== undefined,
  )

/** The people in the rotation who can serve, starting with the one whose turn it is. */
function turnsAt(onCall: OnCall, now: number): readonly OnCallPerson[] {
  const { order, startsOn, everyDays, handOverAt, timeZone } = onCall
  const days = lastDayWith(handOverAt, { now, timeZone }) - dayOf(startsOn)
  if (days < 0 || order.length === 0) return []
  const turn = Math.floor(days / everyDays) % order.length
  return [...order.slice(turn), ...order.slice(0, turn)]
    .map((id) => serving(onCall, id))
    .filter((one) => one !== undefined)
}

/**
 * The person on duty at `now` (epoch ms). The newest override that covers the moment counts, else the rotation. Where
 * an account is disabled, the next one in turn is on duty.
 */
export function onDutyAt(onCall: OnCall, now: number): OnDuty {
  const override = overrideAt(onCall, now)
  if (override !== undefined) return { person: serving(onCall, override.personId)!, overrideId: override.id }
  return { person: turnsAt(onCall, now)[0] ?? null, overrideId: null }
}

/** The people to alert at `now`, in order: the person on duty, then the others in turn. */
export function inTurnAt(onCall: OnCall, now: number): readonly OnCallPerson[] {
  const { person } = onDutyAt(onCall, now)
  return [...new Set([...(person === null ? [] : [person]), ...turnsAt(onCall, now)])]
}

/** The duties from `from` until `until` (epoch ms), in order and without holes: a gap is a duty of nobody. */
export function dutiesBetween(onCall: OnCall, from: number, until: number): readonly Duty[] {
  const { overrides, handOverAt, timeZone } = onCall
  const moments = new Set([from, until])
  for (let day = lastDayWith(handOverAt, { now: from, timeZone }); ; day += 1) {
    const at = momentOn(day, handOverAt, timeZone)
    if (at >= until) break
    moments.add(at)
  }
  for (const override of overrides) for (const at of [override.from, override.until]) moments.add(at)
  const inside = [...moments].filter((at) => at >= from && at <= until).toSorted((a, b) => a - b)
  const duties: Duty[] = []
  for (const [place, at] of inside.slice(0, -1).entries()) {
    const duty: Duty = { from: at, until: inside[place + 1]!, ...onDutyAt(onCall, at) }
    const last = duties.at(-1)
    if (last !== undefined && last.person === duty.person && last.overrideId === duty.overrideId) {
      duties[duties.length - 1] = { ...last, until: duty.until }
    } else duties.push(duty)
  }
  return duties
}

/** When the duty that runs at `now` ends by the rotation: the end of "I take tonight". */
export const nextHandOver = ({ handOverAt, timeZone }: Pick<OnCall, 'handOverAt' | 'timeZone'>, now: number): number =>
  momentOn(lastDayWith(handOverAt, { now, timeZone }) + 1, handOverAt, timeZone)

/** Whether anybody could ever be on duty. */
export const hasDuties = ({ order, overrides }: OnCall): boolean => order.length > 0 || overrides.length > 0

export const afterMs = ({ afterMinutes }: Pick<OnCall, 'afterMinutes'>): number => afterMinutes * MINUTE
