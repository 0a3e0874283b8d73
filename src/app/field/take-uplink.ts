import { extensionIn } from '../../core/field/lorawan/extension.ts'
import { type MappedUplink, mapUplink } from '../../core/field/lorawan/map-uplink.ts'
import type { NetworkEvent, NetworkServer, Uplink } from '../../core/field/lorawan/network-event.ts'
import { profileNameOf, type UplinkProfile, type UplinkProfiles } from '../../core/field/lorawan/profile.ts'
import type { Report } from '../../core/field/report.ts'
import { type DownlinkRoute, downlinkKinds } from '../../core/incident/downlink.ts'
import { isoAt, parseEventTime } from '../../core/ingest/event-time.ts'
import type { FieldProblem } from '../../core/ingest/fields.ts'
import { readPayload } from '../../core/ingest/payload.ts'
import { gatewayText } from '../../core/message/stranger.ts'
import type { Clock } from '../../ports/clock.ts'
import type { FieldDevice, FieldStore } from '../../ports/field-store.ts'
import type { Ids } from '../../ports/ids.ts'
import type { Log } from '../../ports/log.ts'
import type { Meter } from '../../ports/meter.ts'
import type { AccountStore, ApplicationStore } from '../../ports/store.ts'
import type { DownlinkCourier } from '../downlinks/courier.ts'
import type { OwnTimers } from '../user/own-timers.ts'
import type { Origin, ReportTaken, takeReport } from './take-report.ts'
import type { unpairedUplinks } from './unpaired-uplinks.ts'

/**
 * `extended`: moved the owner's overdue timer. `unknown`: from a tracker that nobody in the application has paired.
 * `unknown_sos`: the same, and it was an SOS. `unreadable`: it does not name its tracker, and may have been an SOS.
 */
export type UplinkTaken = ReportTaken | 'extended' | 'ignored' | 'unknown' | 'unknown_sos' | 'unreadable'

const NO_PROFILE = 'no profile: register the tracker with its model'
const OTHER_PROFILE = 'the SOS was found by another profile: register the tracker with its model'

type UplinkNeeds = {
  readonly store: Pick<FieldStore, 'deviceByEui'> &
    Pick<ApplicationStore, 'application'> &
    Pick<AccountStore, 'ensureUser'>
  readonly ids: Pick<Ids, 'uuid'>
  readonly reports: ReturnType<typeof takeReport>
  readonly timers: Pick<OwnTimers, 'extend'>
  /** Null if no network server accepts messages for trackers. */
  readonly downlinks: Pick<DownlinkCourier, 'heard' | 'reaches'> | null
  readonly strangers: ReturnType<typeof unpairedUplinks>
  /** Returns the ones in force now. */
  readonly profiles: () => UplinkProfiles
  readonly clock: Clock
  readonly log: Log
  readonly meter: Meter
}

/**
 * Takes one event of a network server: an uplink of a paired tracker is a report of its owner. Settles after the
 * commit. Rejects with a StoreError if nothing was stored; the network server then has to send it again.
 * devices.md#lorawan.
 */
export const takeUplink = (needs: UplinkNeeds) => {
  const { store, reports, timers, downlinks, strangers, profiles, clock, ids, log, meter } = needs
  const profileNamed = (name: string | null): UplinkProfile | null => {
    const known = profiles()
    return name !== null && Object.hasOwn(known, name) ? (known[name] ?? null) : null
  }

  /**
   * Maps an uplink by the profile of its tracker's model. Without one, the server's profile is only a guess, and any
   * profile may find an SOS. The same holds if the flag that the model's profile names is missing, because then the
   * model is probably wrong.
   */
  const mapped = (uplink: Uplink, model: string | null, server: NetworkServer): MappedUplink => {
    const at = timeOf(uplink, clock.now())
    const own = profileNamed(model)
    const all = Object.values(profiles())
    if (own !== null) {
      const read = mapUplink(uplink, own, at)
      if (own.sos.when.length === 0 || read.report?.flag.set !== null) return read
      // Twelve bytes from a tracker of a known model are not a flag.
      const others = all.filter(({ decoder }) => decoder === 'object')
      const report = sosOfAny(uplink, others, at)
      return report === null ? read : { report, reason: OTHER_PROFILE }
    }
    const guess = profileNamed(server.profile)
    const read = guess === null ? { report: null, reason: NO_PROFILE } : mapUplink(uplink, guess, at)
    if (read.report !== null && read.report.flag.set !== null) return read
    const report = sosOfAny(uplink, all, at)
    return report === null ? read : { report, reason: read.reason ?? OTHER_PROFILE }
  }

  /** The route back to the tracker, if there is one and its profile has downlinks. */
  const routeTo = (
    { model }: FieldDevice,
    { devEui, place }: Uplink,
    server: NetworkServer,
  ): DownlinkRoute | undefined => {
    const own = ownName(model)
    const name = profileNamed(own) === null ? server.profile : own
    const said = profileNamed(name)?.downlinks
    if (name === null || said === undefined || place === null || !downlinks?.reaches(server.name)) return undefined
    const kinds = downlinkKinds.filter((kind) => said[kind] !== undefined)
    return { server: server.name, devEui, ...place, profile: name, kinds }
  }

  /**
   * Extends the owner's timer. Null if the uplink is not on the extend port, or is an SOS. Only the profile of the
   * registered model extends: a guess must not postpone an alarm.
   */
  const extended = async (
    device: FieldDevice,
    uplink: Uplink,
    server: NetworkServer,
    origin: Origin,
  ): Promise<UplinkTaken | null> => {
    const profile = profileNamed(ownName(device.model))
    const now = clock.now()
    const extension = profile && extensionIn(uplink, profile, now)
    if (extension === null || mapped(uplink, ownName(device.model), server).report?.flag.set) return null
    await reports.heard(device, null, uplink)
    const reason = 'reason' in extension ? extension.reason : await refusalOf(device, extension.until)
    return reason === null ? 'extended' : reports.unreadable(device, origin, `timer not extended: ${reason}`)
  }

  const refusalOf = async (device: FieldDevice, until: number): Promise<string | null> => {
    const timer = await timers.extend(device, null, until)
    if (!('refused' in timer)) return null
    const { refused } = timer
    return typeof refused === 'string' ? refused : refused.map(({ field, message }) => `${field} ${message}`).join('; ')
  }

  const uplinkOf = async (device: FieldDevice, uplink: Uplink, server: NetworkServer, origin: Origin) => {
    // Uplinks on port 0 are the radio's own.
    if (uplink.port === 0) return reports.heard(device, null, uplink)
    const extension = await extended(device, uplink, server, origin)
    if (extension !== null) return extension
    const { report, reason } = mapped(uplink, ownName(device.model), server)
    if (report === null) return reports.unreadable(device, origin, reason ?? 'cannot be read')
    const taken = await reports.take(
      device,
      { ...report, remarks: [...(report.remarks ?? []), ...remarksOn(report, uplink)] },
      { ...origin, downlink: routeTo(device, uplink, server) },
    )
    if (reason !== null) {
      await reports.unreadable(device, origin, reason).catch((error) => {
        log.warn({ err: error }, 'the payload of an SOS that cannot be read could not be kept')
      })
    }
    return taken
  }

  /**
   * Raises it as an SOS of the network server's own user, who has no contacts, as with a gateway.
   * devices.md#unknown-devices.
   */
  const ring = async ({ appId, name }: NetworkServer, uplink: Uplink, report: Report): Promise<void> => {
    if ((await store.application(appId)) === null) return
    const user = await store.ensureUser({ appId, externalUserId: `lorawan/${name}`, id: ids.uuid(), now: clock.now() })
    const remarks = [...(report.remarks ?? []), ...remarksOn(report, uplink)]
    await reports.ofNobody({ appId, userId: user.id, hardwareId: uplink.devEui }, { ...report, remarks })
  }

  const taken = async (server: NetworkServer, event: NetworkEvent, raw: Uint8Array): Promise<UplinkTaken> => {
    const origin: Origin = { transport: 'lorawan', topic: `lorawan/${server.name}`, raw }
    switch (event.kind) {
      case 'ignored':
        return 'ignored'
      case 'unreadable':
        return strangers.unreadable(server, event.reason, raw)
      case 'downlink': {
        const { devEui, refs, status } = event
        const isOurs = await downlinks?.heard({ server: server.name, devEui, refs, status })
        return isOurs ? 'stored' : 'ignored'
      }
      case 'heard': {
        const device = await store.deviceByEui(server.appId, event.devEui)
        return device === null ? 'unknown' : reports.heard(device, event.battery)
      }
      case 'uplink': {
        const { uplink } = event
        const device = await store.deviceByEui(server.appId, uplink.devEui)
        if (device !== null) return uplinkOf(device, uplink, server, origin)
        const { report } = mapped(uplink, null, server)
        if (!report?.flag.set) return strangers.heard(server, uplink, null, raw)
        const isPress = report.uplink?.isPress === true
        return strangers.heard(server, uplink, { isPress, ring: () => ring(server, uplink, report) }, raw)
      }
      default:
        return event satisfies never
    }
  }

  return async (server: NetworkServer, event: NetworkEvent, raw: Uint8Array): Promise<UplinkTaken> => {
    const result = await taken(server, event, raw)
    meter.count('lorawan_events_total', { server: server.name, result })
    return result
  }
}

/**
 * Remarks on an SOS without a position. The gateway's position is not the person's, so it never appears on a map.
 * devices.md#lorawan.
 */
function remarksOn({ json }: Report, { gateway }: Uplink): readonly FieldProblem[] {
  // Half a position, or an impossible one, counts as none.
  if (gateway === null || readPayload(json, 0, 'alert').payload.latitude !== undefined) return []
  return [{ field: 'latitude', message: `is missing: no fix; heard by gateway ${gatewayText(gateway)}` }]
}

/**
 * The SOS that any of these profiles finds in an uplink, or null. A flag counts, a port alone does not; any sensor may
 * send twelve bytes, so those count on their SOS port alone.
 */
function sosOfAny(uplink: Uplink, profiles: readonly UplinkProfile[], at: string): Report | null {
  for (const { sos, ...profile } of profiles) {
    if (profile.decoder === 'tocsin-12' && !sos.ports.includes(uplink.port)) continue
    const { report } = mapUplink(uplink, { ...profile, sos: { ...sos, ports: [] } }, at)
    if (report?.flag.set === true) return report
  }
  return null
}

const ownName = (model: string | null): string | null => (model === null ? null : profileNameOf(model))

/** When the network server received it; the arrival if it gives no readable time. */
const timeOf = ({ at }: Uplink, now: number): string => (at !== null && parseEventTime(at) !== null ? at : isoAt(now))
