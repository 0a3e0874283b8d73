import { isCanary } from '../../core/account/canary.ts'
import type { Session } from '../../core/account/session.ts'
import type { DownlinkRoute } from '../../core/incident/downlink.ts'
import { type IncidentView, incidentView, relayView } from '../../core/incident/event.ts'
import type { Few } from '../../core/incident/incident.ts'
import { relayedPositionOf } from '../../core/incident/places.ts'
import { alertOf } from '../../core/ingest/alert.ts'
import { isoAt } from '../../core/ingest/event-time.ts'
import type { FieldProblem } from '../../core/ingest/fields.ts'
import { type Reading, readPayload } from '../../core/ingest/payload.ts'
import { positionOf } from '../../core/ingest/position.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Ids } from '../../ports/ids.ts'
import type { Log } from '../../ports/log.ts'
import type { Meter } from '../../ports/meter.ts'
import type { Committed } from '../../ports/store.ts'
import type { IncidentDoor } from '../incident-door.ts'
import type { NoteHeard } from './heard-devices.ts'

export type IngestNeeds = {
  readonly door: IncidentDoor
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  readonly meter: Meter
  /** Absent: devices are not watched. */
  readonly heard?: NoteHeard
}

/** `tracker`: a tracker with its own token. `lorawan`: one behind a network server. */
export type Transport = 'mqtt' | 'rest' | 'tracker' | 'lorawan'

/** Whether the tracker sent it itself, rather than a session of its owner. */
export const isOfDevice = (transport: Transport): boolean => transport === 'tracker' || transport === 'lorawan'

type Json = Readonly<Record<string, unknown>>

type RaiseDetails = {
  readonly read?: Reading
  readonly downlink?: DownlinkRoute | undefined
  readonly few?: Few | undefined
  readonly ofNobody?: true
}

/**
 * Raises the alarm with whatever fields of `json` are valid. Settles after the commit. Rejects with a StoreError if
 * nothing was stored. MQTT uses it directly: a bad field never costs an alarm (rules.md#fields). `read`: `json` as
 * already read. `downlink`: the route back to the tracker. `few`: the restricted reach of the alarm. `ofNobody`: it
 * names a device that is nobody's.
 */
export const raiseAlarm =
  ({ door, clock, ids, log, meter, heard }: IngestNeeds) =>
  async (
    session: Pick<Session, 'appId' | 'userId'>,
    json: Json,
    transport: Transport,
    { read, downlink, few, ofNobody }: RaiseDetails = {},
  ): Promise<Committed> => {
    const now = clock.now()
    const alert = alertOf(read ?? readPayload(json, now, 'alert'), json, now)
    const { appId, userId } = session
    const reporter = { appId, userId, deviceId: ofNobody ? null : (alert.payload.deviceId ?? null) }
    const command = {
      type: 'raise',
      now,
      alert,
      reporterId: userId,
      ...(isOfDevice(transport) && { byDevice: true }),
      incidentId: ids.uuid(),
      linkSecret: ids.secret(),
      ...(downlink && { downlink }),
      ...(few && { few }),
      ...(ofNobody && { ofNobody }),
    } as const
    const committed = await door.change({ reporter }, command).catch((error) => {
      meter.count('ingest_failures_total', { kind: 'alert', transport })
      throw error
    })
    const about = { incidentId: committed.incidentId, userId, verdict: committed.verdict, transport }
    log.info(about, 'alert accepted')
    if (!isCanary(appId)) meter.count('alerts_total', { verdict: committed.verdict, transport })
    if (committed.verdict === 'put_off') log.warn(about, 'an alert that no hand makes is put off', userId)
    if (committed.verdict === 'ended_before') log.warn(about, 'the end of an alert came before it; it opens nothing')
    if (alert.warnings.length > 0) {
      meter.count('alert_warnings_total', { transport })
      log.warn(
        { ...about, fields: alert.warnings.map((warning) => warning.field) },
        'alert accepted with invalid fields',
      )
    }
    if (committed.unknownDevice) {
      meter.count('unknown_devices_total')
      log.warn(
        about,
        'an alert names a device that nobody has paired, or that its sender may not send for; it counts as the sender’s own',
        alert.payload.deviceId,
      )
    } else if (reporter.deviceId !== null) heard?.(appId, reporter.deviceId)
    return committed
  }

/** `putOff`: the press alarmed nobody, and neither will those that follow until then. rules.md#put-off. */
type Raised = {
  readonly opened: boolean
  readonly incident: IncidentView | null
  readonly putOff?: { readonly until: string }
}

/**
 * `POST /v1/sdk/sos`. The caller can read the response, so if any field is bad, all bad ones are named and nothing is
 * raised. rules.md#fields. The view of the incident is built on first access, because that costs a millisecond or more.
 */
export const raiseSos = (needs: IngestNeeds) => {
  const raise = raiseAlarm(needs)
  return async (session: Session, json: Json): Promise<{ refused: readonly FieldProblem[] } | Raised> => {
    const reading = readPayload(json, needs.clock.now(), 'alert')
    if (reading.problems.length > 0) {
      needs.meter.count('alerts_total', { verdict: 'refused', transport: 'rest' })
      return { refused: reading.problems }
    }
    const committed = await raise(session, json, 'rest', { read: reading })
    const { putOff } = (committed.verdict === 'put_off' && committed.incident) || {}
    if (putOff !== undefined) return { opened: false, incident: null, putOff: { until: isoAt(putOff.until) } }
    return {
      opened: committed.verdict === 'opened',
      get incident() {
        const { incident, lastPosition } = committed
        if (incident === null) return null
        const view = incidentView(incident, lastPosition, relayedPositionOf(committed))
        const isOwner = incident.userId === session.userId
        const sent = positionOf(reading.payload, reading.at)
        return isOwner ? view : relayView(view, { sent, relayUserId: session.userId })
      },
    }
  }
}
