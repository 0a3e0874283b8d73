import { z } from 'zod'
import {
  type Compact,
  compactBoolean,
  compactByte,
  compactEither,
  compactInstant,
  compactNumber,
  compactObject,
  compactText,
} from './compact.ts'
import { parseEventTime } from './event-time.ts'
import { isJsonObject } from './json.ts'

/** One problem with one input field: an entry of the error envelope, or a warning stored with an accepted alert. */
export type FieldProblem = { readonly field: string; readonly message: string }

/**
 * The rule of one field in two forms. `schema` judges any value, names its problems and describes the field in OpenAPI.
 * `isSound` checks, ten times faster, that the schema would keep the value exactly as sent; it may reject a value that
 * the schema accepts. A property test keeps the two consistent. `compact`: the form of its values in a telemetry row.
 */
export type Field<Schema extends z.ZodType = z.ZodType> = {
  readonly schema: Schema
  readonly isSound: (value: unknown) => boolean
  readonly compact: Compact
}

type FieldsByName = Readonly<Record<string, Field>>
/** Null inside an object means absent, as at the top level. */
type Shape<P extends FieldsByName> = { [K in keyof P]: z.ZodOptional<z.ZodNullable<P[K]['schema']>> }

/** Whether every store keeps the text as sent: SQLite alters a lone surrogate, and PostgreSQL rejects a NUL. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

export const NOT_STORABLE = 'must not contain lone surrogates or NUL characters'

const CONTROL = /\p{Cc}/u
const MAX_INSTANT_LENGTH = 64

/** Well-formed text: SQLite and every provider would silently alter a lone surrogate. */
const text = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .refine((value) => value.isWellFormed(), 'must not contain lone surrogates')

/** Text of 1 to `max` characters, without control characters. `usual`: a byte each in a row. */
export const plainText = (max: number, ...usual: readonly string[]): Field<z.ZodString> => ({
  schema: text(max).regex(/^\P{Cc}*$/u, 'must not contain control characters'),
  isSound: (value) =>
    typeof value === 'string' &&
    value.length > 0 &&
    value.length <= max &&
    value.isWellFormed() &&
    !CONTROL.test(value),
  compact: compactText(...usual),
})

/** An RFC 3339 date-time with a zone, as text. */
export const instant = (): Field<z.ZodString> => ({
  schema: text(MAX_INSTANT_LENGTH)
    .refine((value) => parseEventTime(value) !== null, 'must be an RFC 3339 date-time with a zone')
    .meta({ format: 'date-time' }),
  isSound: (value) => typeof value === 'string' && parseEventTime(value) !== null,
  compact: compactInstant,
})

export const number = (): Field<z.ZodNumber> => ({
  schema: z.number(),
  isSound: Number.isFinite,
  compact: compactNumber,
})

export const numberBetween = (min: number, max: number): Field<z.ZodNumber> => ({
  schema: z.number().min(min).max(max),
  isSound: (value) => typeof value === 'number' && value >= min && value <= max,
  compact: compactNumber,
})

/** At most 256 values. */
export const integerBetween = (min: number, max: number): Field<z.ZodNumber> => ({
  schema: z.number().int().min(min).max(max),
  isSound: (value) => Number.isInteger(value) && (value as number) >= min && (value as number) <= max,
  compact: compactByte(min),
})

export const boolean = (): Field<z.ZodBoolean> => ({
  schema: z.boolean(),
  isSound: (value) => typeof value === 'boolean',
  compact: compactBoolean,
})

/** One of these texts. */
export const oneOf = <const Values extends readonly [string, ...string[]]>(...values: Values) => ({
  schema: z.enum(values),
  isSound: (value: unknown) => values.includes(value as string),
  compact: compactText(...values),
})

/** A value that fits either field. */
export const either = <A extends z.ZodType, B extends z.ZodType>(a: Field<A>, b: Field<B>) => ({
  schema: z.union([a.schema, b.schema]),
  isSound: (value: unknown) => a.isSound(value) || b.isSound(value),
  compact: compactEither(a.compact, b.compact, a.isSound),
})

/** An object with these parts, all optional. */
export function object<P extends FieldsByName>(parts: P): Field<z.ZodObject<Shape<P>>> {
  const shape = Object.fromEntries(Object.entries(parts).map(([name, { schema }]) => [name, schema.nullish()]))
  const soundness = new Map(Object.entries(parts).map(([name, { isSound }]) => [name, isSound]))
  return {
    schema: z.object(shape as Shape<P>),
    isSound: (value) => {
      if (!isJsonObject(value)) return false
      for (const key in value) if (soundness.get(key)?.(value[key]) !== true) return false
      return true
    },
    compact: compactObject(Object.fromEntries(Object.entries(parts).map(([name, { compact }]) => [name, compact]))),
  }
}

/** The field with a human-readable description. */
export const described = <S extends z.ZodType>(field: Field<S>, description: string): Field<S> => ({
  ...field,
  schema: field.schema.meta({ ...field.schema.meta(), description }),
})
