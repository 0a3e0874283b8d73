import type { FieldProblem } from '../wire/alert.ts'
import type { IncidentNews } from '../wire/incident.ts'

/** An answer over HTTP. `body`: what JSON it was, else null. A request without an answer has none. */
export type Answer = { readonly status: number; readonly body: unknown; readonly retryAfterMs: number }

export type Json = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The error of the service. Null: something else answered, such as a captive portal. */
export function errorOf(body: unknown): { readonly code: string; readonly fields: readonly FieldProblem[] } | null {
  const error = isObject(body) ? body.error : null
  if (!isObject(error) || typeof error.code !== 'string') return null
  return { code: error.code, fields: Array.isArray(error.fields) ? (error.fields as FieldProblem[]) : [] }
}

/** `{ incident }` of a 2xx. Undefined: the answer is not from the service. */
export function incidentIn({ status, body }: Answer): IncidentNews | null | undefined {
  if (status < 200 || status > 299 || !isObject(body)) return undefined
  const { incident } = body
  if (incident === null) return null
  return isObject(incident) && typeof incident.incidentId === 'string' && typeof incident.status === 'string'
    ? (incident as unknown as IncidentNews)
    : undefined
}
