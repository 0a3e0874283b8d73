import { z } from 'zod'
import { configSchema } from './schema.ts'

/** One key of the configuration. */
export type ConfigKey = {
  readonly path: readonly string[]
  /** Its environment variable: `TOCSIN_HTTP_PORT`. */
  readonly variable: string
  readonly schema: z.ZodType
}

const PREFIX = 'TOCSIN_'

/** The innermost schema, without defaults and transforms. */
function within(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault || schema instanceof z.ZodNullable) {
    return within(schema.unwrap())
  }
  if (!(schema instanceof z.ZodPipe)) return schema
  return within(schema.in instanceof z.ZodTransform ? schema.out : schema.in)
}

const upperSnake = (key: string): string => key.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toUpperCase()

function keysOf(schema: z.ZodType, path: readonly string[]): readonly ConfigKey[] {
  const inner = within(schema)
  if (!(inner instanceof z.ZodObject)) return [{ path, variable: PREFIX + path.map(upperSnake).join('_'), schema }]
  return Object.entries<z.ZodType>(inner.shape).flatMap(([key, field]) => keysOf(field, [...path, key]))
}

/** Every key, in the order of the schema. */
export const configKeys = keysOf(configSchema, [])

const variables = new Map(configKeys.map(({ path, variable }) => [path.join('.'), variable]))

/** The environment variable of a key such as `http.port`. */
export const variableOfKey = (key: string): string | undefined => variables.get(key)

/**
 * Interprets `text` for `schema`: a comma-separated list as its items, a record as its mapping (YAML or JSON, read by
 * `readMapping`), anything else as the text or, if only a number is valid, as a number. A text that fits neither is
 * returned unchanged, for the schema to refuse.
 */
export function valueOfText(schema: z.ZodType, text: string, readMapping: (text: string) => unknown = String): unknown {
  const inner = within(schema)
  if (inner instanceof z.ZodArray) {
    return text.split(',').map((item) => scalarOf(inner.element as z.ZodType, item.trim()))
  }
  return inner instanceof z.ZodRecord ? readMapping(text) : scalarOf(schema, text)
}

function scalarOf(schema: z.ZodType, text: string): unknown {
  const isNumber = /^[+-]?(\d+(\.\d*)?|\.\d+)$/.test(text.trim()) && !(within(schema) instanceof z.ZodString)
  return isNumber && !schema.safeParse(text).success ? Number(text) : text
}
