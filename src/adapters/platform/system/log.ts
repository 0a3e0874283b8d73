import { type DestinationStream, pino, stdTimeFunctions } from 'pino'
import type { Log } from '../../../ports/log.ts'
import { LineWriter } from './line-writer.ts'
import { formOf, type LogFormat, readableLine } from './log-text.ts'

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

/** One writer for the whole process: lines of two would get out of order. */
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
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: neverLogged.flatMap((key) => [key, `*.${key}`]), censor: '[redacted]' },
    },
    to,
  )
  return {
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
  }
}
