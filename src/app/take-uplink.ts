import { mapUplink } from '../core/field/lorawan/map-uplink.ts'
import type { NetworkEvent, Uplink } from '../core/field/lorawan/network-event.ts'
import type { NetworkServer } from '../core/field/lorawan/network-server.ts'
import type { UplinkProfile, UplinkProfiles } from '../core/field/lorawan/profile.ts'
import type { Report } from '../core/field/report.ts'
import { isoAt, parseEventTime } from '../core/ingest/event-time.ts'
import type { FieldProblem } from '../core/ingest/field-problem.ts'
import { gatewayText } from '../core/text/stranger.ts'
import type { Clock } from '../ports/clock.ts'
import type { FieldDevice, FieldStore } from '../ports/field-store.ts'
import type { Log } from '../ports/log.ts'
import type { Meter } from '../ports/meter.ts'
import type { strangerUplinks } from './stranger-uplinks.ts'
import type { Origin, takeReport } from './take-report.ts'

/** `unknown`: of a tracker that nobody in the application has paired. `unknown_sos`: and it was an SOS. */
export type UplinkTaken = 'alarmed' | 'stored' | 'dead_lettered' | 'ignored' | 'unknown' | 'unknown_sos'

type Parts = {
  readonly store: Pick<FieldStore, 'deviceByEui'>
  readonly reports: ReturnType<typeof takeReport>
  readonly strangers: ReturnType<typeof strangerUplinks>
  readonly profiles: UplinkProfiles
  readonly clock: Clock
  readonly log: Log
  readonly meter: Meter
}

/**
 * Takes one event of a network server: an uplink of a paired tracker is a report of its owner. Settles after the
 * commit. Rejects with a StoreError if nothing was stored; the network server then has to send it again.
 * rules.md#lorawan.
 */
export const takeUplink = (parts: Parts) => {
  const { store, reports, strangers, profiles, clock, log, meter } = parts
  const profileOf = (server: NetworkServer, model: string | null): UplinkProfile | null => {
    for (const name of [model?.toLowerCase(), server.profile]) {
      if (typeof name === 'string' && Object.hasOwn(profiles, name)) return profiles[name] ?? null
    }
    return null
  }

  const uplinkOf = async (device: FieldDevice, uplink: Uplink, profile: UplinkProfile | null, origin: Origin) => {
    // Answers on port 0 and empty ones are the radio's own.
    if (uplink.port === 0) return reports.heard(device, null)
    if (profile === null) return reports.unreadable(device, origin, 'no profile: register the tracker with its model')
    const { report, reason } = mapUplink(uplink, profile, timeOf(uplink, clock.now()))
    if (report === null) return reports.unreadable(device, origin, reason ?? 'cannot be read')
    const taken = await reports.take(device, { ...report, remarks: remarksOn(report, uplink) }, origin)
    if (reason !== null) {
      await reports.unreadable(device, origin, reason).catch((error) => {
        log.warn({ err: error }, 'the payload of an SOS that cannot be read could not be kept')
      })
    }
    return taken
  }

  const taken = async (server: NetworkServer, event: NetworkEvent, raw: Uint8Array): Promise<UplinkTaken> => {
    const origin: Origin = { transport: 'lorawan', topic: `lorawan/${server.name}`, raw }
    switch (event.kind) {
      case 'ignored':
        return 'ignored'
      case 'unreadable':
        return strangers.unreadable(server, event.reason, raw)
      case 'heard': {
        const device = await store.deviceByEui(server.appId, event.devEui)
        return device === null ? 'unknown' : reports.heard(device, event.battery)
      }
      case 'uplink': {
        const { uplink } = event
        const device = await store.deviceByEui(server.appId, uplink.devEui)
        if (device !== null) return uplinkOf(device, uplink, profileOf(server, device.model), origin)
        const isSos = isSosOfAny(uplink, candidates(server), timeOf(uplink, clock.now()))
        return strangers.heard(server, uplink, isSos, raw)
      }
      default:
        return event satisfies never
    }
  }

  /** Nobody knows the model of a stranger. Without a profile of the server, any flag counts, but no port. */
  const candidates = (server: NetworkServer): readonly UplinkProfile[] => {
    const own = profileOf(server, null)
    if (own !== null) return [own]
    return Object.values(profiles).map((profile) => ({ ...profile, sos: { ...profile.sos, ports: [] } }))
  }

  return async (server: NetworkServer, event: NetworkEvent, raw: Uint8Array): Promise<UplinkTaken> => {
    const result = await taken(server, event, raw)
    meter.count('lorawan_events_total', { server: server.name, result })
    return result
  }
}

/** Where the radio was heard is no position of the person: a remark, and never on the map. rules.md#lorawan. */
function remarksOn({ json }: Report, { gateway }: Uplink): readonly FieldProblem[] {
  if (gateway === null || json.latitude !== undefined) return []
  return [{ field: 'latitude', message: `is missing: no fix; heard by gateway ${gatewayText(gateway)}` }]
}

const isSosOfAny = (uplink: Uplink, profiles: readonly UplinkProfile[], at: string): boolean =>
  profiles.some((profile) => mapUplink(uplink, profile, at).report?.flag.set === true)

/** When the network server received it; the arrival where it does not say so readably. */
const timeOf = ({ at }: Uplink, now: number): string => (at !== null && parseEventTime(at) !== null ? at : isoAt(now))
