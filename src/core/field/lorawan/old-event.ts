import { DAY } from '../../../lib/durations.ts'
import type { UplinkIdentity } from '../uplink-press.ts'

/** The highest counter heard in one join session of a tracker. */
export type HeardSession = Pick<UplinkIdentity, 'session' | 'counter'>

/** Each join begins another session, and an event that an outage held back may belong to an earlier one. */
const MAX_SESSIONS = 4

/** `heard` with one more uplink. The latest session comes last, and the oldest is dropped. */
export function withHeard(heard: readonly HeardSession[], { session, counter }: HeardSession): readonly HeardSession[] {
  if (session === '') return heard
  const known = heard.find((one) => one.session === session)
  const others = heard.filter((one) => one !== known)
  return [...others, { session, counter: Math.max(counter, known?.counter ?? 0) }].slice(-MAX_SESSIONS)
}

/**
 * Whether an event is stale: the network server received it more than a day before `now` (epoch ms), and later uplinks
 * of its session have been heard. An event of an unknown session is not stale: when in doubt, it raises the alarm.
 * devices.md#lorawan.
 */
export const isOldEvent = (
  heard: readonly HeardSession[],
  { session, counter, at }: Pick<UplinkIdentity, 'session' | 'counter' | 'at'>,
  now: number,
): boolean => now - at > DAY && heard.some((one) => one.session === session && counter < one.counter)
