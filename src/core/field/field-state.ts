import type { HeardSession } from './lorawan/old-event.ts'
import type { SosFlag } from './sos-flag.ts'
import type { UplinkPress } from './uplink-press.ts'

/** What is kept of a tracker that speaks for itself: one bounded record a paired device. */
export type FieldState = {
  /** When it was last heard, epoch ms. */
  readonly heardAt: number
  /** Its battery in percent when it last said so, or null. */
  readonly battery: number | null
  /** Its SOS flag while that is set, or null. */
  readonly flag: SosFlag | null
  /** The newest press raised by an uplink on an SOS port. */
  readonly uplink?: UplinkPress
  /** Of the last sessions with a network server. Absent: none was heard, or an earlier version kept it. */
  readonly sessions?: readonly HeardSession[]
}
