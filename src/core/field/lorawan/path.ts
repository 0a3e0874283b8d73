import { isJsonObject } from '../../ingest/json.ts'

/** Property names and array indices, separated by dots: `position.latitude`, `rx.0.rssi`. At most six deep. */
export const DECODED_PATH = /^[\w$-]{1,64}(\.[\w$-]{1,64}){0,5}$/

/** The value at the first of these paths that has one: codecs spell the same field in several ways. */
export function valueAtFirst(decoded: unknown, paths: readonly string[]): unknown {
  const values = paths.map((path) => valueAt(decoded, path))
  return values.find((value) => value !== undefined && value !== null) ?? values.find((value) => value === null)
}

/**
 * The value at a path of a decoded payload, which is untrusted input. Reads own properties only, so that no path
 * reaches inherited ones. Undefined if there is none.
 */
export function valueAt(decoded: unknown, path: string): unknown {
  let value: unknown = decoded
  for (const name of path.split('.')) {
    const holds = (isJsonObject(value) || Array.isArray(value)) && Object.hasOwn(value, name)
    if (!holds) return undefined
    value = (value as Readonly<Record<string, unknown>>)[name]
  }
  return value
}
