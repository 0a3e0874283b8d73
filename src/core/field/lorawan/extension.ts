import { MINUTE } from '../../../lib/durations.ts'
import { parseEventTime } from '../../ingest/event-time.ts'
import type { Uplink } from './network-event.ts'
import { MAX_EXTEND_MINUTES, type UplinkProfile } from './profile.ts'

/** Until when (epoch ms) an uplink asks the owner's overdue timer to run, or why that cannot be read. */
export type Extension = { readonly until: number } | { readonly reason: string }

/**
 * What an uplink on the profile's extend port asks for; null on any other port. Counted from when the network server
 * received it, and never from later than `now` (epoch ms): an uplink that comes late or twice extends nothing further.
 * rules.md#lorawan.
 */
export function extensionIn(uplink: Uplink, profile: UplinkProfile, now: number): Extension | null {
  const { extendPort, extendMinutes } = profile
  if (extendPort === undefined || uplink.port !== extendPort) return null
  const bytes = Buffer.from(uplink.data, 'base64')
  if (extendMinutes === undefined && bytes.length < 2) return { reason: 'the payload has no two bytes of minutes' }
  const minutes = extendMinutes ?? bytes.readUInt16BE(0)
  if (minutes > MAX_EXTEND_MINUTES) return { reason: `asks for ${minutes} min; at most ${MAX_EXTEND_MINUTES}` }
  const sentAt = uplink.at === null ? undefined : parseEventTime(uplink.at)?.ms
  return { until: Math.min(sentAt ?? now, now) + minutes * MINUTE }
}
