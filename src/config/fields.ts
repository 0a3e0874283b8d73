import { inspect } from 'node:util'
import { z } from 'zod'
import type { Settings } from '../core/account/settings.ts'
import { settingsSchema } from '../core/account/settings-schema.ts'

/** A value that shows only when revealed: neither JSON nor util.inspect nor a template string prints it. */
export type Secret<T = string> = { readonly reveal: () => T }

const SHOWN = '[secret]'
const shown = () => SHOWN

export const secret = <T>(value: T): Secret<T> =>
  Object.freeze({ reveal: () => value, toJSON: shown, toString: shown, [inspect.custom]: shown })

/** JSON of a value with its secrets in clear, to compare two. */
export const printWithSecrets = (value: unknown): string =>
  JSON.stringify(value, function (name, shown) {
    const own: unknown = (this as Record<string, unknown>)[name]
    return typeof own === 'object' && own !== null && 'reveal' in own ? (own.reveal as () => unknown)() : shown
  })

const onOffWords: Readonly<Record<string, boolean>> = { on: true, off: false, true: true, false: false }

const asOnOff = (value: unknown): unknown =>
  typeof value === 'string' ? (onOffWords[value.trim().toLowerCase()] ?? value) : value

/** `on`, `off`, `true` or `false`, as text or as a YAML boolean. protocol.md#configuration. */
export const onOff = z.preprocess(asOnOff, z.boolean('must be on or off'))

export function wholeNumber(min: number, max: number) {
  const error = `must be a whole number from ${min} to ${max}`
  return z.number(error).int(error).min(min, error).max(max, error)
}

/** A number above 0, fractions allowed. */
export function rate(max: number) {
  const error = `must be a number above 0, up to ${max}`
  return z.number(error).positive(error).max(max, error)
}

export const text = z.string('must be text (put a number in quotes)').trim().min(1, 'must not be empty')

export const choice = <const T extends readonly (string | number)[]>(values: T) =>
  z.literal(values, `must be one of ${values.join(', ')}`)

const PORT = 'must be a port from 0 to 65535, or off'

/** A TCP port, 0 for any free one, or `off`. */
export const port = z.preprocess(
  (value) => (asOnOff(value) === false ? 'off' : value),
  z.union([z.literal('off'), z.number().int(PORT).min(0, PORT).max(65_535, PORT)], PORT),
)

const URL_ERROR = 'must be an http or https address'

export const httpUrl = z.url({ protocol: /^https?$/, error: URL_ERROR, abort: true })

const withoutSlash = (url: string): string => url.replace(/(?<!\/)\/+$/, '')

/** A URL without user, query or fragment. A trailing slash is dropped. */
export const baseUrl = httpUrl
  .refine((url) => {
    const { username, password, search, hash } = new URL(url)
    return username + password + search + hash === ''
  }, 'must be an address without user, query or fragment')
  .transform(withoutSlash)

/** Wraps the result of `schema` in a `Secret`. */
export const secretOf = <T>(schema: z.ZodType<T>) => schema.transform((value): Secret<T> => secret(value))

/** An optional key; null if absent. */
export const optional = <S extends z.ZodType>(schema: S) => schema.nullable().default(null as never)

/** A section of the file with exactly these keys, each with its default. */
export const section = <S extends z.core.$ZodShape>(shape: S) => z.strictObject(shape).prefault({} as never)

type SettingFields = { readonly [K in keyof Settings]: z.ZodType<Settings[K]> }

const entries = Object.entries<z.ZodType>(settingsSchema.shape).map(([name, field]): [string, z.ZodType] => [
  name,
  field instanceof z.ZodBoolean ? onOff : field,
])

/**
 * The escalation settings as an operator writes them: those of the core, with on and off for booleans.
 * rules.md#settings.
 */
export const settingFields = Object.fromEntries(entries) as SettingFields
export const settingNames = Object.keys(settingsSchema.shape) as (keyof Settings)[]
