import type { HeardSession } from './lorawan/old-event.ts'
import type { SosFlag } from './sos-flag.ts'
import type { UplinkPress } from './uplink-press.ts'

/** The stored state of a tracker that reports for itself: one bounded record per paired device. */
export type FieldState = {
  /** When it was last heard, epoch ms. */
  readonly heardAt: number
  /** Its battery in percent as last reported, or null. */
  readonly battery: number | null
  /** Its SOS flag while that is set, or null. */
  readonly flag: SosFlag | null
  /** The newest press raised by an uplink on an SOS port. */
  readonly uplink?: UplinkPress
  /** The last sessions with a network server. Absent: none was heard, or an earlier version stored the record. */
  readonly sessions?: readonly HeardSession[]
}
