import { parseEventTime } from '../ingest/event-time.ts'
import type { FieldProblem } from '../ingest/fields.ts'
import { isJsonObject } from '../ingest/json.ts'
import { payloadFields, sentTimeOf } from '../ingest/payload.ts'
import { isUuid } from '../ingest/topic.ts'
import type { NamedEnd } from './end.ts'

type Named = { readonly end: NamedEnd } | { readonly refused: readonly FieldProblem[] }

/**
 * The name in the body of an end that arrived at `now` (epoch ms). Null: the body names nothing. If both names are
 * given, the incident counts. As in an alert, `null` means absent and unknown keys are ignored. rules.md#ends.
 */
export function endNameOf(body: unknown, now: number): Named | null {
  const incidentId = fieldOf(body, 'incidentId')
  if (incidentId !== null) {
    if (typeof incidentId !== 'string' || !isUuid(incidentId)) return problem('incidentId', 'must be a UUID')
    return { end: { kind: 'incident', incidentId: incidentId.toLowerCase() } }
  }
  const alert = fieldOf(body, 'alert')
  return alert === null ? null : pressOf(alert, now)
}

function pressOf(alert: unknown, now: number): Named {
  if (!isJsonObject(alert)) return problem('alert', 'must be an object')
  const deviceId = fieldOf(alert, 'deviceId')
  if (deviceId !== null && !payloadFields.deviceId.isSound(deviceId)) {
    return problem('alert.deviceId', 'must be a text of 1 to 128 characters without control characters')
  }
  const sent = { timestamp: fieldOf(alert, 'timestamp'), occurredAt: fieldOf(alert, 'occurredAt') }
  for (const [name, value] of Object.entries(sent)) {
    if (value !== null && !payloadFields.timestamp.isSound(value)) {
      return problem(`alert.${name}`, 'must be an RFC 3339 date-time with a zone')
    }
  }
  if (sent.timestamp === null && sent.occurredAt === null) {
    return problem('alert.timestamp', 'is required unless occurredAt is present')
  }
  const times = { timestamp: timeOf(sent.timestamp), occurredAt: timeOf(sent.occurredAt) }
  return { end: { kind: 'press', deviceId: deviceId as string | null, sentAt: sentTimeOf(times, now) } }
}

const problem = (field: string, message: string): Named => ({ refused: [{ field, message }] })

const timeOf = (value: unknown) => (typeof value === 'string' ? parseEventTime(value) : null)

/** Null if absent. Ignores inherited properties. */
const fieldOf = (object: unknown, name: string): unknown =>
  isJsonObject(object) && Object.hasOwn(object, name) ? (object[name] ?? null) : null
