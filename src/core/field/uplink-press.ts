import { MINUTE } from '../../lib/durations.ts'

/**
 * The uplink that a report arrived in. `at`: when the network server received it, epoch ms. `digest`: of its payload.
 */
export type UplinkIdentity = {
  readonly session: string
  readonly counter: number
  readonly at: number
  readonly digest: string
  /** On an SOS port: each such uplink is a separate press. */
  readonly isPress: boolean
}

/** The newest press raised by an uplink on an SOS port. */
export type UplinkPress = Omit<UplinkIdentity, 'isPress'> & { readonly press: string }

/**
 * Within this time, an uplink with the same session, counter and payload is the same one, repeated by the radio or
 * received over several paths. Later it comes from a tracker that has restarted and counts from 0 again: a counter must
 * never silence a press.
 */
const SAME_MS = MINUTE

/** The press that this uplink belongs to: the previous one if it is a repeat, else a new one. devices.md#lorawan. */
export function pressOf(before: UplinkPress | null, uplink: UplinkIdentity): UplinkPress {
  const { isPress: _, ...identity } = uplink
  const isSame =
    before !== null &&
    before.session === uplink.session &&
    before.counter === uplink.counter &&
    before.digest === uplink.digest &&
    Math.abs(before.at - uplink.at) < SAME_MS
  return isSame ? before : { ...identity, press: `${uplink.session}:${uplink.counter}:${uplink.at}:${uplink.digest}` }
}
