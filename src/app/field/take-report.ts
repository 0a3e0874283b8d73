import { type HeardSession, isOldEvent } from '../../core/field/lorawan/old-event.ts'
import type { Report } from '../../core/field/report.ts'
import {
  alarmsFewOnly,
  type FlagMeaning,
  type FlagPlace,
  meaningOf,
  type PressClosing,
  raisedFlag,
  type SosFlag,
  unchangedFlag,
} from '../../core/field/sos-flag.ts'
import { pressOf } from '../../core/field/uplink-press.ts'
import type { DownlinkRoute } from '../../core/incident/downlink.ts'
import type { Few } from '../../core/incident/incident.ts'
import { isoAt } from '../../core/ingest/event-time.ts'
import { type Reading, readPayload } from '../../core/ingest/payload.ts'
import { RateLimiter } from '../../core/pacing/rate-limiter.ts'
import { MINUTE } from '../../lib/durations.ts'
import type { FieldDevice, FieldStore } from '../../ports/field-store.ts'
import type { IncidentStore, MailStore, TelemetryStore } from '../../ports/store.ts'
import { StoreError } from '../../ports/store-error.ts'
import { appendTelemetry, NOT_ADMITTED } from '../ingest/ingest-telemetry.ts'
import { type IngestNeeds, raiseAlarm, type Transport } from '../ingest/raise-sos.ts'
import { fieldMemory } from './field-memory.ts'
import type { TellStuck } from './stuck-flags.ts'

/** The most trackers whose reports are counted; beyond it, the count of the one that was quiet longest restarts. */
const MAX_COUNTED = 10_000

type ReportNeeds = IngestNeeds & {
  readonly store: TelemetryStore &
    Pick<MailStore, 'addDeadLetter'> &
    Pick<FieldStore, 'keepFieldState'> &
    Pick<IncidentStore, 'incident'>
  /** Absent: stuck flags are not reported. */
  readonly tellStuck?: TellStuck
  /** Whether somebody is signed in who would see it on the board. Absent: nobody is. */
  readonly isWatched?: (appId: string) => Promise<boolean>
  /** Limit for one tracker, not counting presses; 0 or absent: none. */
  readonly reportsPerMinute?: number
}

/** The origin of a report. `raw`: kept if the report is unusable, at most one request or packet. */
export type Origin = {
  readonly transport: Transport
  readonly topic: string
  readonly raw: Uint8Array
  /** The route back to the tracker, if downlinks can reach it. */
  readonly downlink?: DownlinkRoute | undefined
}

/**
 * `alarmed`: a press. `dead_lettered`: unusable, and kept for the operator. `lost`: not a press, and the disk is full
 * or its tracker has reported too often.
 */
export type ReportTaken = 'alarmed' | 'stored' | 'dead_lettered' | 'lost'

/**
 * Ingests one report of a tracker as its owner: an alarm if its SOS flag is newly set, else telemetry. Settles after
 * the commit. Rejects with a StoreError if nothing was stored; the sender then has to send it again. A report without a
 * press is dropped if the disk is full or its tracker reports too often: the sender would resend it before anything
 * newer, and an SOS would wait behind it.
 *
 * The alarm is committed before its flag is stored; a clear flag is on disk before the response. So a stop in between
 * costs one more press, never one less. devices.md#flags.
 */
export const takeReport = (needs: ReportNeeds) => {
  const { store, clock, log, meter } = needs
  const raise = raiseAlarm(needs)
  const append = appendTelemetry(needs)
  const memory = fieldMemory(needs)
  const { reportsPerMinute: times = 0 } = needs
  /** Per tracker, so that a stolen token uses up nothing of the owner's phone or other trackers. */
  const reports = times === 0 ? null : new RateLimiter({ times, perMs: MINUTE }, MAX_COUNTED)
  const isTooOften = ({ deviceId }: FieldDevice, now: number): boolean => reports?.take(deviceId, now) === false

  const keep = (device: FieldDevice, told: Parameters<typeof memory.keep>[1]): Promise<Error | null> => {
    needs.heard?.(device.appId, device.hardwareId)
    return memory.keep(device, told)
  }

  const closingOf = async (flag: SosFlag | null): Promise<PressClosing> => {
    if (flag === null) return null
    const record = await store.incident(flag.incidentId)
    return record === null ? 'unknown' : record.incident.state.closedAt
  }

  /** If it is unknown whether anyone watches the board, a contact is told. */
  const fewOf = async ({ appId }: FieldDevice): Promise<Few> =>
    (await needs.isWatched?.(appId).catch(() => false)) ? 'fallback' : 'first'

  const letter = async ({ userId }: FieldDevice, { topic, raw }: Origin, reason: string): Promise<ReportTaken> => {
    await store.addDeadLetter({ userId, topic, reason, payload: raw, receivedAt: clock.now() })
    meter.count('dead_letters_total', { kind: 'telemetry', reason: 'bad_fields' })
    log.warn({ userId, topic, reason }, 'a report of a tracker was kept as a dead letter', reason)
    return 'dead_lettered'
  }

  const storeRow = (device: FieldDevice, json: Report['json'], origin: Origin): Promise<ReportTaken> =>
    new Promise((resolve, reject) => {
      append(device, { json, transport: origin.transport }, (taken) => {
        if (taken instanceof StoreError) reject(taken)
        else if ('isBarred' in taken) letter(device, origin, NOT_ADMITTED).then(resolve, reject)
        else if (!('refused' in taken)) resolve('stored')
        else {
          const fields = taken.refused.map(({ field }) => field).join(', ')
          letter(device, origin, `invalid fields: ${fields}`).then(resolve, reject)
        }
      })
    })

  /** Stores a report that is not a press; drops it if the tracker is over its limit or the disk is full. */
  const stored = async (
    device: FieldDevice,
    isTooMany: boolean,
    store: () => Promise<ReportTaken>,
  ): Promise<ReportTaken> => {
    if (!isTooMany) return unlessFull(device, store())
    const { userId, hardwareId } = device
    log.warn({ userId, hardwareId }, 'reports of a tracker were given up: it reports too often', hardwareId)
    return 'lost'
  }

  const unlessFull = <T>(device: FieldDevice, stored: Promise<T>): Promise<T | 'lost'> =>
    stored.catch((error) => {
      if (!(error instanceof StoreError && (error.kind === 'disk_full' || error.kind === 'disk_reserve'))) throw error
      log.error(
        { userId: device.userId, err: error },
        'a report of a tracker was dropped, because the disk is full',
        'full',
      )
      return 'lost'
    })

  return {
    async take(device: FieldDevice, report: Report, origin: Origin): Promise<ReportTaken> {
      const [order, now] = [memory.nextOrder(), clock.now()]
      const before = memory.stateOf(device)
      const flag = before?.flag ?? null
      const uplink = report.uplink?.isPress ? pressOf(before?.uplink ?? null, report.uplink) : null
      const reading = uplink === null ? report.flag : { set: true, press: report.flag.press ?? uplink.press }
      const meaning = meaningOf(flag, reading, await (reading.set === true ? closingOf(flag) : null), now)
      const place = placeOf(report.json)
      const told = { order, at: now, battery: report.battery, uplink, heardIn: report.uplink }
      // A report without a time counts as now. For a press, that is recorded as a warning.
      const json = {
        ...(!isRaised(meaning) && { timestamp: isoAt(now) }),
        ...report.json,
        deviceId: device.hardwareId,
      }
      if (!isRaised(meaning)) {
        const isTooMany = isTooOften(device, now)
        const kept = keep(device, { ...told, ...flagTold(meaning, flag, { now, place }), isTooMany })
        const taken = await stored(device, isTooMany, () => storeRow(device, json, origin))
        // If only memory had it, the next press after a restart would count as the same.
        if (meaning === 'clear' && (flag ?? device.state?.flag)) await unlessFull(device, written(kept))
        return taken
      }
      const read = remarked(json, report, now)
      if (report.uplink !== undefined && isOldEvent(before?.sessions ?? [], report.uplink, now)) {
        void keep(device, { ...told, uplink: null })
        await raise(device, json, origin.transport, { read, few: 'board' })
        return unlessFull(device, letter(device, origin, OLD_EVENT))
      }
      const few = meaning === 'stuck' && flag !== null && alarmsFewOnly(flag, place) ? await fewOf(device) : undefined
      const { incidentId } = await raise(device, json, origin.transport, { read, downlink: origin.downlink, few })
      // A repeat of an alert whose incident is closed belongs to no press that could go on.
      if (incidentId === null) {
        void keep(device, told)
        return 'alarmed'
      }
      const raised = raisedFlag(meaning, flag, { now, press: reading.press, incidentId, place })
      void keep(device, { ...told, flag: raised })
      if (meaning === 'stuck') needs.tellStuck?.(device, raised)
      return 'alarmed'
    },

    /**
     * Takes a sign of life without a report. `battery` in percent, or null if not given. `heardIn`: the uplink's
     * session.
     */
    async heard(device: FieldDevice, battery: number | null, heardIn?: HeardSession): Promise<ReportTaken> {
      void keep(device, { order: memory.nextOrder(), at: clock.now(), battery, heardIn })
      return 'stored'
    },

    /** Raises the SOS of an unpaired tracker as one of `sender`; the incident names the tracker. */
    async ofNobody(sender: Pick<FieldDevice, 'appId' | 'userId' | 'hardwareId'>, report: Report): Promise<void> {
      const json = { ...report.json, deviceId: sender.hardwareId }
      await raise(sender, json, 'lorawan', { read: remarked(json, report, clock.now()), ofNobody: true })
    },

    /** Keeps an unreadable report of a tracker. */
    unreadable: (device: FieldDevice, origin: Origin, reason: string): Promise<ReportTaken> =>
      stored(device, isTooOften(device, clock.now()), () => letter(device, origin, reason)),
  }
}

const OLD_EVENT = 'an SOS that the network server received more than a day ago, before others that were heard'

/** The payload of an alarm with the remarks of its report. */
function remarked(json: Report['json'], { remarks = [] }: Report, now: number): Reading {
  const reading = readPayload(json, now, 'alert')
  return { ...reading, remarks: [...reading.remarks, ...remarks] }
}

/** Waits for a write, and rejects with its error. */
async function written(kept: Promise<Error | null>): Promise<void> {
  const error = await kept
  if (error !== null) throw error
}

function placeOf({ latitude, longitude }: Report['json']): FlagPlace | null {
  return typeof latitude === 'number' && typeof longitude === 'number' ? { latitude, longitude } : null
}

const isRaised = (meaning: FlagMeaning): meaning is 'press' | 'stuck' => meaning === 'press' || meaning === 'stuck'

/** The flag to store after a report without an alarm. */
function flagTold(
  meaning: Exclude<FlagMeaning, 'press' | 'stuck'>,
  flag: SosFlag | null,
  { now, place }: { readonly now: number; readonly place: FlagPlace | null },
): { readonly flag?: SosFlag | null } {
  switch (meaning) {
    case 'clear':
      return { flag: null }
    case 'unmentioned':
      return {}
    case 'same_press':
      return { flag: flag && unchangedFlag(flag, now, place) }
    default:
      return meaning satisfies never
  }
}
