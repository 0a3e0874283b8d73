import type { Session } from '../core/account/session.ts'
import type { FieldProblem } from '../core/ingest/field-problem.ts'
import { readPayload } from '../core/ingest/payload.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Meter } from '../ports/meter.ts'
import type { TelemetryStore } from '../ports/store.ts'
import type { Transport } from './raise-sos.ts'

type Parts = { readonly store: TelemetryStore; readonly clock: Clock; readonly log: Log; readonly meter: Meter }

/** Built once, because they are used for every row. */
const labelsOf = (transport: Transport) =>
  ({
    stored: { result: 'stored', transport },
    duplicate: { result: 'duplicate', transport },
    refused: { result: 'refused', transport },
  }) as const
/**
 * A publish waits in its connection, which is not read in the meantime (back-pressure). A request gets an error and
 * must retry.
 */
const sendersOf = { mqtt: { isHeldBack: true }, rest: { isHeldBack: false } } as const
const counted = { mqtt: labelsOf('mqtt'), rest: labelsOf('rest') }

/** `incidentId`: the open incident that the row belongs to. */
export type Taken = { readonly incidentId: string | null; readonly duplicate: boolean }

/**
 * Stores one telemetry payload. Unlike an alert, a row with any bad field is refused as a whole, with every bad field
 * named (rules.md#fields). Settles after the commit with the open incident that the row belongs to. Rejects with a
 * StoreError.
 */
export const ingestTelemetry =
  ({ store, clock, log, meter }: Parts) =>
  async (
    session: Session,
    json: Readonly<Record<string, unknown>>,
    transport: Transport,
  ): Promise<{ readonly refused: readonly FieldProblem[] } | Taken> => {
    const receivedAt = clock.now()
    const { payload, at, problems } = readPayload(json, receivedAt, 'telemetry')
    if (problems.length > 0) {
      meter.count('telemetry_total', counted[transport].refused)
      return { refused: problems }
    }
    const stored = await store
      .appendTelemetry(session, { payload, at, receivedAt }, sendersOf[transport])
      .catch((error) => {
        meter.count('ingest_failures_total', { kind: 'telemetry', transport })
        throw error
      })
    meter.count('telemetry_total', counted[transport][stored.duplicate ? 'duplicate' : 'stored'])
    if (stored.unknownDevice) {
      meter.count('unknown_devices_total')
      log.warn(
        { userId: session.userId },
        'telemetry names a device that nobody has paired; it counts as the sender’s own',
        payload.deviceId,
      )
    }
    return { incidentId: stored.incidentId, duplicate: stored.duplicate }
  }
