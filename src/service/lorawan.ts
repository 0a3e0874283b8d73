import type { HttpParts } from '../adapters/inbound/http/parts.ts'
import { strangerUplinks } from '../app/stranger-uplinks.ts'
import type { takeReport } from '../app/take-report.ts'
import { takeUplink } from '../app/take-uplink.ts'
import type { Config } from '../config.ts'
import { shippedProfiles } from '../core/field/lorawan/shipped.ts'
import type { Sending } from './sending.ts'
import type { Basis } from './storage.ts'

type Parts = { readonly reports: ReturnType<typeof takeReport>; readonly sender: Sending['sender'] }

/** What takes the uplinks of the configured network servers. Null without any. */
export function lorawanParts(
  { lorawan, notifications }: Config,
  basis: Basis,
  { reports, sender }: Parts,
): NonNullable<HttpParts['lorawan']> | null {
  const servers = new Map(
    Object.entries(lorawan.servers).map(([name, { type, application, profile, token }]) => [
      name,
      { server: { name, type, appId: application.toLowerCase(), profile }, token: token.reveal() },
    ]),
  )
  if (servers.size === 0) return null
  const strangers = strangerUplinks({
    ...basis,
    defaults: notifications.defaults,
    send: (notification) => sender.send(notification),
  })
  const profiles = { ...shippedProfiles, ...lorawan.profiles }
  return { servers, take: takeUplink({ ...basis, reports, strangers, profiles }) }
}
