import type { FieldState } from '../core/field/field-state.ts'
import type { Report } from '../core/field/report.ts'
import { type FlagMeaning, meaningOf, type PressClosing, type SosFlag } from '../core/field/sos-flag.ts'
import { pressOf } from '../core/field/uplink-press.ts'
import { isoAt } from '../core/ingest/event-time.ts'
import { type Reading, readPayload } from '../core/ingest/payload.ts'
import { MINUTE } from '../lib/durations.ts'
import type { FieldDevice, FieldStore } from '../ports/field-store.ts'
import type { IncidentStore, MailStore, TelemetryStore } from '../ports/store.ts'
import { StoreError } from '../ports/store-error.ts'
import { appendTelemetry } from './ingest-telemetry.ts'
import { type IngestParts, raiseAlarm, type Transport } from './raise-sos.ts'

type Parts = IngestParts & {
  readonly store: TelemetryStore &
    Pick<MailStore, 'addDeadLetter'> &
    Pick<FieldStore, 'keepFieldState'> &
    Pick<IncidentStore, 'incident'>
}

/** Where a report came from. `raw`: what is kept if it cannot be used, at most one request or packet. */
export type Origin = { readonly transport: Transport; readonly topic: string; readonly raw: Uint8Array }

/**
 * `alarmed`: it was a press. `dead_lettered`: it could not be used, and is kept for the operator. `lost`: it was no
 * press, and the disk is full.
 */
export type ReportTaken = 'alarmed' | 'stored' | 'dead_lettered' | 'lost'

/** Trackers whose state is in memory: what is being written counts before it is on disk. */
const MAX_IN_MEMORY = 10_000
/** What a report says of the tracker is written this often where nothing depends on it. */
const REWRITE_MS = MINUTE

/**
 * Takes one report of a tracker in the name of its owner: an alarm where its SOS flag is newly set, else telemetry.
 * Settles after the commit. Rejects with a StoreError if nothing was stored; the sender then has to send it again. What
 * is no press is given up on a full disk: the sender would send it again before anything newer, and an SOS would wait
 * behind it.
 *
 * The alarm comes first and the flag is kept after it: a stop in between costs one more press, never one less.
 * rules.md#flags.
 */
export const takeReport = (parts: Parts) => {
  const { store, clock, log, meter } = parts
  const raise = raiseAlarm(parts)
  const append = appendTelemetry(parts)
  const memory = new Map<string, FieldState>()

  const stateOf = ({ deviceId, state }: FieldDevice): FieldState | null => {
    const kept = memory.get(deviceId)
    return kept !== undefined && (state === null || kept.heardAt >= state.heardAt) ? kept : state
  }

  const keep = (device: FieldDevice, before: FieldState | null, state: FieldState): void => {
    const { deviceId, userId } = device
    parts.heard?.(device.appId, device.hardwareId)
    memory.delete(deviceId)
    memory.set(deviceId, state)
    const [oldest] = memory.keys()
    if (memory.size > MAX_IN_MEMORY && oldest !== undefined) memory.delete(oldest)
    const isSame = isSamePress(before?.flag ?? null, state.flag) && before?.battery === state.battery
    if (isSame && Math.abs(state.heardAt - (device.state?.heardAt ?? 0)) < REWRITE_MS) return
    store.keepFieldState(deviceId, state).catch((error) => {
      log.warn({ userId, err: error }, 'the state of a tracker could not be kept; its next SOS counts as a new press')
    })
  }

  const closingOf = async (flag: SosFlag | null): Promise<PressClosing> => {
    if (flag === null) return null
    const record = await store.incident(flag.incidentId)
    return record === null ? 'unknown' : record.incident.state.closedAt
  }

  const letter = async ({ userId }: FieldDevice, { topic, raw }: Origin, reason: string): Promise<ReportTaken> => {
    await store.addDeadLetter({ userId, topic, reason, payload: raw, receivedAt: clock.now() })
    meter.count('dead_letters_total', { kind: 'telemetry', reason: 'bad_fields' })
    log.warn({ userId, topic, reason }, 'a report of a tracker was kept as a dead letter', reason)
    return 'dead_lettered'
  }

  const storeRow = (device: FieldDevice, json: Report['json'], origin: Origin): Promise<ReportTaken> =>
    new Promise((resolve, reject) => {
      append(device, { json, text: null, transport: origin.transport }, (taken) => {
        if (taken instanceof StoreError) reject(taken)
        else if (!('refused' in taken)) resolve('stored')
        else {
          const fields = taken.refused.map(({ field }) => field).join(', ')
          letter(device, origin, `invalid fields: ${fields}`).then(resolve, reject)
        }
      })
    })

  const unlessFull = (device: FieldDevice, stored: Promise<ReportTaken>): Promise<ReportTaken> =>
    stored.catch((error) => {
      if (!(error instanceof StoreError && (error.kind === 'disk_full' || error.kind === 'disk_reserve'))) throw error
      log.error(
        { userId: device.userId, err: error },
        'a report of a tracker was given up, for the disk is full',
        'full',
      )
      return 'lost'
    })

  return {
    async take(device: FieldDevice, report: Report, origin: Origin): Promise<ReportTaken> {
      const now = clock.now()
      const before = stateOf(device)
      const flag = before?.flag ?? null
      const made = report.uplink?.isPress ? pressOf(before?.uplink ?? null, report.uplink) : null
      const reading = made === null ? report.flag : { set: true, press: report.flag.press ?? made.press }
      const meaning = meaningOf(flag, reading, await (reading.set === true ? closingOf(flag) : null), now)
      const uplink = made ?? before?.uplink
      const kept = { heardAt: now, battery: report.battery ?? before?.battery ?? null, ...(uplink && { uplink }) }
      // Whoever sends no time means now. Of a press that is remarked on.
      const json = {
        ...(meaning !== 'press' && { timestamp: isoAt(now) }),
        ...report.json,
        deviceId: device.hardwareId,
      }
      if (meaning !== 'press') {
        keep(device, before, { ...kept, flag: flagAfter(meaning, flag, now) })
        return unlessFull(device, storeRow(device, json, origin))
      }
      const { incidentId } = await raise(device, json, origin.transport, remarked(json, report, now))
      // A repeat of an alert whose incident is closed belongs to no press that could be held.
      const pressed = incidentId === null ? flag : { heardAt: now, press: reading.press, incidentId }
      keep(device, before, { ...kept, flag: pressed })
      return 'alarmed'
    },

    /** A sign of life without a report. `battery` in percent, or null if it says nothing of it. */
    async heard(device: FieldDevice, battery: number | null): Promise<ReportTaken> {
      const before = stateOf(device)
      const known = before ?? { battery: null, flag: null }
      keep(device, before, { ...known, heardAt: clock.now(), battery: battery ?? known.battery })
      return 'stored'
    },

    /** Keeps what a tracker sent and nobody can read. */
    unreadable: (device: FieldDevice, origin: Origin, reason: string): Promise<ReportTaken> =>
      unlessFull(device, letter(device, origin, reason)),
  }
}

/** The payload of an alarm with the remarks of its report. */
function remarked(json: Report['json'], { remarks = [] }: Report, now: number): Reading {
  const reading = readPayload(json, now, 'alert')
  return { ...reading, remarks: [...reading.remarks, ...remarks] }
}

const isSamePress = (a: SosFlag | null, b: SosFlag | null): boolean =>
  a?.incidentId === b?.incidentId && a?.press === b?.press

function flagAfter(meaning: Exclude<FlagMeaning, 'press'>, flag: SosFlag | null, now: number): SosFlag | null {
  switch (meaning) {
    case 'clear':
      return null
    case 'silent':
      return flag
    case 'held':
      return flag === null ? null : { ...flag, heardAt: now }
    default:
      return meaning satisfies never
  }
}
