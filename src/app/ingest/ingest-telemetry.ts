import type { Session } from '../../core/account/session.ts'
import type { FieldProblem } from '../../core/ingest/fields.ts'
import { readPayload } from '../../core/ingest/payload.ts'
import { scanTelemetry } from '../../core/ingest/scan.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { Meter } from '../../ports/meter.ts'
import {
  type MailStore,
  type Settle,
  StoreError,
  type TelemetryStore,
  type TelemetryStored,
} from '../../ports/store.ts'
import type { NoteHeard } from './heard-devices.ts'
import { isOfDevice, type Transport } from './raise-sos.ts'

type TelemetryNeeds = {
  readonly store: TelemetryStore
  readonly clock: Clock
  readonly log: Log
  readonly meter: Meter
  /** Absent: devices are not watched. */
  readonly heard?: NoteHeard
}

/** Built once, because they are used for every row. */
const labelsOf = (transport: Transport) =>
  ({
    stored: { result: 'stored', transport },
    duplicate: { result: 'duplicate', transport },
    refused: { result: 'refused', transport },
  }) as const
const counted = {
  mqtt: labelsOf('mqtt'),
  rest: labelsOf('rest'),
  tracker: labelsOf('tracker'),
  lorawan: labelsOf('lorawan'),
}

type Json = Readonly<Record<string, unknown>>
type Sender = Pick<Session, 'appId' | 'userId'>

/** A payload as it arrived. */
export type SentPayload = { readonly json: Json; readonly transport: Transport }

/** `incidentId`: the open incident that the row belongs to; null for a relay, who must not learn it. */
export type Taken = {
  readonly incidentId: string | null
  readonly duplicate: boolean
  /** Not stored: its sender may not report for other users' trackers. rules.md#relays. */
  readonly isBarred?: true
}
type Refused = { readonly refused: readonly FieldProblem[] }

/**
 * Stores one telemetry payload. Unlike an alert, a row with any bad field is refused as a whole, and every bad field is
 * named (rules.md#fields). Settles after the commit with the open incident that the row belongs to.
 *
 * An MQTT connection is not read while too much waits for the disk (back-pressure), so its rows are always taken. A
 * request then gets an error, and must retry.
 */
export const appendTelemetry = (needs: TelemetryNeeds) => {
  const { store, clock, meter } = needs
  const note = noteRow(needs)
  return (session: Sender, { json, transport }: SentPayload, settle: Settle<Refused | Taken>): void => {
    const receivedAt = clock.now()
    const { payload, at, problems } = readPayload(json, receivedAt, 'telemetry')
    if (problems.length > 0) {
      meter.count('telemetry_total', counted[transport].refused)
      settle({ refused: problems })
      return
    }
    if (transport !== 'mqtt' && store.isCongested(session.userId)) {
      meter.count('ingest_failures_total', { kind: 'telemetry', transport })
      settle(new StoreError('too many writes are waiting for the disk', 'overloaded'))
      return
    }
    const { deviceId } = payload
    const settled: Settle<TelemetryStored> = (stored) => {
      note(session, { deviceId, transport }, stored)
      settle(stored)
    }
    const { appId, userId } = session
    const reporter = isOfDevice(transport) ? { appId, userId, byDevice: true } : session
    store.appendTelemetry(reporter, { payload, at, receivedAt }, settled)
  }
}

/**
 * Stores one telemetry payload of an MQTT client like `appendTelemetry`, if all its fields are sound and in their plain
 * form. Otherwise returns false and does nothing.
 */
export const appendPlainTelemetry = (needs: TelemetryNeeds) => {
  const { store } = needs
  const note = noteRow(needs)
  return (session: Sender, bytes: Buffer, settle: Settle<'stored' | 'barred'>): boolean => {
    const receivedAt = needs.clock.now()
    const scanned = scanTelemetry(bytes, bytes.toString('latin1'), receivedAt)
    if (scanned === null) return false
    const { payload, at } = scanned
    const about = { deviceId: payload.deviceId, transport: 'mqtt' } as const
    store.appendTelemetry(session, { payload, at, receivedAt }, (stored) => {
      note(session, about, stored)
      settle(stored instanceof StoreError ? stored : stored.isBarred ? 'barred' : 'stored')
    })
    return true
  }
}

type AboutRow = { readonly deviceId: string | undefined; readonly transport: Transport }

/** Counts the result of a row, and notes that its device was heard. */
const noteRow =
  ({ log, meter, heard }: TelemetryNeeds) =>
  (session: Sender, { deviceId, transport }: AboutRow, stored: TelemetryStored | StoreError): void => {
    if (stored instanceof StoreError) {
      meter.count('ingest_failures_total', { kind: 'telemetry', transport })
      return
    }
    if (stored.isBarred) {
      meter.count('telemetry_total', counted[transport].refused)
      return
    }
    meter.count('telemetry_total', counted[transport][stored.duplicate ? 'duplicate' : 'stored'])
    if (stored.unknownDevice) {
      meter.count('unknown_devices_total')
      log.warn(
        { userId: session.userId },
        'telemetry names a device that nobody has paired; it counts as the sender’s own',
        deviceId,
      )
    } else if (deviceId !== undefined) heard?.(session.appId, deviceId)
  }

/** Stores one payload of a request like `appendTelemetry`. Rejects with a StoreError. */
export const ingestTelemetry = (needs: TelemetryNeeds & { readonly store: Pick<MailStore, 'addDeadLetter'> }) => {
  const append = appendTelemetry(needs)
  return async (session: Sender, json: Json): Promise<Refused | Taken> => {
    const taken = await new Promise<Refused | Taken>((resolve, reject) => {
      append(session, { json, transport: 'rest' }, (result) => {
        if (result instanceof StoreError) reject(result)
        else resolve(result)
      })
    })
    // The response is the usual one: the sender must not learn whose tracker it is, or that it is anyone's.
    if ('isBarred' in taken) await keepBarred(needs, session, json)
    return taken
  }
}

/** The reason for which telemetry for another user's tracker is a dead letter. */
export const NOT_ADMITTED = 'the sender may not send for the trackers of other users'

async function keepBarred(
  { store, clock, log, meter }: TelemetryNeeds & { readonly store: Pick<MailStore, 'addDeadLetter'> },
  { userId }: Sender,
  json: Json,
): Promise<void> {
  const payload = Buffer.from(JSON.stringify(json))
  const letter = { userId, topic: '/v1/sdk/telemetry', reason: NOT_ADMITTED, payload, receivedAt: clock.now() }
  await store.addDeadLetter(letter)
  meter.count('dead_letters_total', { kind: 'telemetry', reason: 'not_admitted' })
  log.warn({ userId, reason: NOT_ADMITTED }, 'telemetry kept as a dead letter', NOT_ADMITTED)
}
