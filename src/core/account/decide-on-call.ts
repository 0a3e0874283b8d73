import { DAY } from '../../lib/durations.ts'
import type { Refused } from '../decided.ts'
import type { OnCall, OnCallOverride, OnCallPerson } from './on-call.ts'
import type { OnCallGiven } from './on-call-schema.ts'

/** Overrides, at most: in all, and those with which one operator goes on duty. Those that ended lately count. */
const MAX_OVERRIDES = 100
const MAX_OWN_OVERRIDES = 20
/** How long an override may last: set by an administrator, and taken by oneself. */
const MAX_MS = 62 * DAY
const MAX_OWN_MS = 7 * DAY
/** Overrides that ended before are dropped at the next change. */
const KEPT_MS = 7 * DAY

const kept = ({ overrides }: Pick<OnCall, 'overrides'>, now: number): readonly OnCallOverride[] =>
  overrides.filter(({ until }) => until > now - KEPT_MS)

/** The list as an administrator sets it. People keep the text that told their number; overrides of others end. */
function decideOnCall(
  before: OnCall | null,
  { version, timeZone, people, ...given }: OnCallGiven,
  { now, defaultTimeZone }: { readonly now: number; readonly defaultTimeZone: string },
): Refused<'on_call_changed'> | { readonly update: OnCall } {
  if ((before?.version ?? 0) !== version) return { refused: 'on_call_changed' }
  const known = new Map((before?.people ?? []).map((person) => [person.id, person]))
  const update: OnCall = {
    ...given,
    timeZone: timeZone ?? before?.timeZone ?? defaultTimeZone,
    people: people.map((person): OnCallPerson => {
      const { told = null } = known.get(person.id) ?? {}
      return { ...person, told: told?.phone === person.phone ? told : null }
    }),
    overrides: before === null ? [] : kept(before, now).filter((one) => people.some(({ id }) => id === one.personId)),
    version: version + 1,
    reviewedAt: now,
  }
  return { update }
}

type NoOverride = 'on_call_person_not_found' | 'override_invalid' | 'too_many_overrides'

/** `isOwn`: the person takes it, without being an administrator. `setAt`: now. */
function decideOverride(
  before: OnCall | null,
  override: OnCallOverride,
  { isOwn }: { readonly isOwn: boolean },
): Refused<NoOverride> | { readonly update: OnCall } {
  const { personId, from, until, setAt } = override
  if (before === null || !before.people.some(({ id }) => id === personId))
    return { refused: 'on_call_person_not_found' }
  if (until <= from || until <= setAt || until - Math.max(from, setAt) > (isOwn ? MAX_OWN_MS : MAX_MS)) {
    return { refused: 'override_invalid' }
  }
  if (from > setAt + 366 * DAY) return { refused: 'override_invalid' }
  const overrides = kept(before, setAt)
  const own = overrides.filter((one) => one.personId === personId)
  if (overrides.length >= MAX_OVERRIDES || (isOwn && own.length >= MAX_OWN_OVERRIDES)) {
    return { refused: 'too_many_overrides' }
  }
  return { update: { ...before, overrides: [...overrides, override], reviewedAt: setAt } }
}

/** `ownerId`: only an override of this person; null: any. */
function decideRemoveOverride(
  before: OnCall | null,
  { id, ownerId, now }: { readonly id: string; readonly ownerId: string | null; readonly now: number },
): Refused<'override_not_found'> | { readonly update: OnCall } {
  const found = before?.overrides.find((one) => one.id === id)
  if (before === null || found === undefined || (ownerId !== null && found.personId !== ownerId)) {
    return { refused: 'override_not_found' }
  }
  const overrides = kept(before, now).filter((one) => one !== found)
  return { update: { ...before, overrides, reviewedAt: now } }
}

/** An administrator has looked at the list, and it is right. */
const decideReview = (
  before: OnCall | null,
  { version, now }: { readonly version: number; readonly now: number },
): Refused<'on_call_changed'> | { readonly update: OnCall } =>
  before === null || before.version !== version
    ? { refused: 'on_call_changed' }
    : { update: { ...before, reviewedAt: now } }

export type ToldOnCall = {
  readonly personId: string
  readonly phone: string
  readonly at: number
  readonly accepted: boolean
}

/** A person was told that they are on the list. Null: the list has changed meanwhile. */
export function withTold(before: OnCall | null, { personId, phone, at, accepted }: ToldOnCall): OnCall | null {
  if (!before?.people.some((person) => person.id === personId && person.phone === phone)) return null
  const people = before.people.map((person) =>
    person.id === personId ? { ...person, told: { at, phone, accepted } } : person,
  )
  return { ...before, people }
}

/** Every change of the list by somebody. */
export type OnCallChange =
  | { readonly kind: 'set'; readonly given: OnCallGiven; readonly now: number; readonly defaultTimeZone: string }
  | { readonly kind: 'override'; readonly override: OnCallOverride; readonly isOwn: boolean }
  | { readonly kind: 'remove'; readonly id: string; readonly ownerId: string | null; readonly now: number }
  | { readonly kind: 'review'; readonly version: number; readonly now: number }

export type OnCallRefusal = 'on_call_changed' | 'override_not_found' | NoOverride

/** Returns the changed list, or the reason why it stays as it is. */
export function decideOnCallChange(
  before: OnCall | null,
  change: OnCallChange,
): Refused<OnCallRefusal> | { readonly update: OnCall } {
  switch (change.kind) {
    case 'set':
      return decideOnCall(before, change.given, change)
    case 'override':
      return decideOverride(before, change.override, change)
    case 'remove':
      return decideRemoveOverride(before, change)
    case 'review':
      return decideReview(before, change)
    default:
      return change satisfies never
  }
}
