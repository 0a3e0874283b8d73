import type { Alert } from '../wire/alert.ts'
import type { Facts } from './facts.ts'

/** A press, written once and never changed. `of`: the application and user whose press it is. */
export type Press = { readonly id: string; readonly of: string; readonly alert: Alert; readonly keptAt: number }

/** The identity of a press, as it was sent. */
export type PressName = Pick<Alert, 'deviceId' | 'timestamp'>

/**
 * An end that was asked for. `number`: 1 for the first of this press. `last`: the person's last press until then.
 * `at`: epoch ms; absent where an earlier version has kept it.
 */
export type EndAsked = {
  readonly how: 'cancel' | 'resolve'
  readonly number: number
  readonly last: PressName
  readonly at?: number
}

export const pressNameOf = (press: Press, facts: Facts): PressName => {
  const { deviceId, timestamp } = alertToSend(press, facts)
  return { ...(deviceId !== undefined && { deviceId }), timestamp }
}

/**
 * Names the alarm that an end is for: by the last press that the person knew of, so that an end that waits in the
 * network leaves open what was pressed again since. The person who then asks once more means that alarm, whoever
 * pressed; unless this device `hasPressed` since, because that press has joined the same incident. rules.md#ends.
 */
export const nameOf = ({ incident }: Facts, { number, last }: EndAsked, hasPressed: boolean) =>
  incident !== null && number > 1 && !hasPressed ? { incidentId: incident.incidentId } : { alert: last }

/** The fields that go together: without one, the others are refused. */
const together = ['latitude', 'longitude', 'altitude']

/** The alert as it is sent after the service has refused fields of it. */
export function alertToSend({ alert }: Press, { cut, refused }: Facts): Alert {
  const { timestamp, deviceId } = alert
  if (cut === 3) return { timestamp }
  if (cut === 2) return { timestamp, ...(deviceId !== undefined && { deviceId }) }
  if (cut === 0) return alert
  const names = refused.map(({ field }) => field.split('.')[0]!)
  const out = names.some((name) => together.includes(name)) ? [...names, ...together] : names
  return Object.fromEntries(
    Object.entries(alert).filter(([name]) => name === 'timestamp' || !out.includes(name)),
  ) as Alert
}

/**
 * The next thing to do about a press. `repeat`: it was put off, and is sent again to learn its state. `find`: learn
 * which incident it led to. `wait`: until the moment, epoch ms.
 */
export type Task =
  | { readonly kind: 'press' | 'repeat' }
  | ({ readonly kind: 'end' } & EndAsked)
  | { readonly kind: 'find' }
  | { readonly kind: 'wait'; readonly until: number }

/** An end goes before everything: a press that has an end is never sent again. */
export function taskOf(facts: Facts, end: EndAsked | null, now: number): Task | null {
  if (facts.over !== null) return null
  if (end !== null && end.number > facts.leftOpen) return { kind: 'end', ...end }
  if (!facts.onServer) return { kind: 'press' }
  if (facts.incident !== null) return null
  if (facts.putOff === 0) return { kind: 'find' }
  return facts.putOff > now ? { kind: 'wait', until: facts.putOff } : { kind: 'repeat' }
}
