import { type DestinationStream, pino, stdSerializers, stdTimeFunctions } from 'pino'
import type { Log } from '../../../ports/log.ts'
import { LineWriter } from './line-writer.ts'
import { formOf, type LogFormat, readableLine } from './log-text.ts'

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

/** One writer for the whole process: lines of two writers would get out of order. */
const stdout = new LineWriter(1)

/**
 * Fields that should not be logged in the first place (see the port). This is a second safeguard, for a field that
 * slips in under its own name, at the top level or one below.
 */
const neverLogged = [
  'address',
  'authToken',
  'authorization',
  'email',
  'externalUserId',
  'hash',
  'headers',
  'lastPosition',
  'latitude',
  'linkSecret',
  'longitude',
  'name',
  'password',
  'payload',
  'phone',
  'position',
  'secret',
  'secrets',
  'text',
  'to',
  'token',
  'trackingUrl',
  'userHash',
]
const CENSOR = '[redacted]'

/** `value` with the fields of `neverLogged` replaced, if it has any. */
function censored(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const found = neverLogged.filter((key) => Object.hasOwn(value, key))
  return found.length === 0 ? value : { ...value, ...Object.fromEntries(found.map((key) => [key, CENSOR])) }
}

/** Errors become plain objects only in their serializer, which censors them too. */
const isNested = (value: unknown): boolean => typeof value === 'object' && !(value instanceof Error)

/**
 * `fields` with nested fields censored. Pino's own redaction for those (`*.name`) searches every value and the message,
 * which takes longer than writing the line.
 */
function withNestedCensored(fields: Record<string, unknown>): Record<string, unknown> {
  if (!Object.values(fields).some(isNested)) return fields
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [key, isNested(value) ? censored(value) : value]),
  )
}

/** The log destination of this process, in the form for its reader. */
export function logOutput(format: LogFormat): DestinationStream {
  if (formOf(format, process.stdout.isTTY) === 'json') return stdout
  const coloured = process.stdout.isTTY && !process.env.NO_COLOR
  return { write: (line) => stdout.write(readableLine(line, { coloured })) }
}

/** The log as JSON lines, to stdout by default: `level` in words, `time` in ISO 8601, `msg`. */
export function createLog(level: LogLevel, to: DestinationStream = stdout): Log {
  const logger = pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: withNestedCensored },
      serializers: { err: (error) => censored(stdSerializers.err(error)) },
      redact: { paths: neverLogged, censor: CENSOR },
    },
    to,
  )
  return {
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
  }
}
