import { MINUTE } from '../../../lib/durations.ts'
import { parseEventTime } from '../../ingest/event-time.ts'
import type { Uplink } from './network-event.ts'
import { MAX_EXTEND_MINUTES, type UplinkProfile } from './profile.ts'

/** Until when (epoch ms) an uplink extends the owner's overdue timer, or why its payload cannot be read. */
export type Extension = { readonly until: number } | { readonly reason: string }

/**
 * The extension that an uplink on the profile's extend port asks for; null on any other port. It counts from when the
 * network server received the uplink, or from `now` (epoch ms) if that is earlier, so a late or repeated uplink extends
 * nothing further. devices.md#lorawan.
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
