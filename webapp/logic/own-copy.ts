/** The parts of the service's answers that are read here. */
type Fields = Readonly<Record<string, unknown>>

const ALARM = [
  'incidentId',
  'status',
  'occurredAt',
  'openedAt',
  'acknowledgedAt',
  'acknowledgedBy',
  'cancelledAt',
  'resolvedAt',
  'silent',
] as const

const only = (from: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(names.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]])))

const without = (from: Fields, ...names: readonly string[]): Fields =>
  Object.fromEntries(Object.entries(from).filter(([name]) => !names.includes(name)))

/** The parts of a copy. `hasMore`: there are older alarms than these. */
export type OwnParts = {
  readonly profile: Fields
  readonly contacts: readonly unknown[]
  readonly phones: readonly unknown[]
  readonly trackers: readonly unknown[]
  readonly timers: readonly Fields[]
  readonly card: unknown
  readonly alarms: readonly Fields[]
  readonly hasMore: boolean
}

/**
 * The stored data of a person, for the person: without positions, messages and the code of an SOS by SMS, because
 * somebody else may hold the phone. The operator gives out the whole.
 */
export const ownCopy = (
  { profile, contacts, phones, trackers, timers, card, alarms, hasMore }: OwnParts,
  at: string,
) => ({
  at,
  profile: without(profile, 'user', 'smsSos'),
  ...{ contacts, phones, trackers, card },
  timers: timers.map((timer) => without(timer, 'position')),
  alarms: alarms.map((alarm) => only(alarm, ALARM)),
  ...(hasMore && { olderAlarms: 'left out' }),
})
