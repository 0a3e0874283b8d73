import { type DestinationStream, pino, stdTimeFunctions } from 'pino'
import type { Log } from '../../../ports/log.ts'
import { LineWriter } from './line-writer.ts'
import { formOf, type LogFormat, lineForPeople } from './log-text.ts'

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

/** One writer for the whole process: lines of two would not stay in their order. */
const stdout = new LineWriter(1)

/**
 * What must not be logged in the first place (see the port). This is the second net, for a field that slips in under
 * its own name, at the top or one level down.
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

/** Where the log of this process goes, in the form that its reader wants. */
export function logOutput(format: LogFormat): DestinationStream {
  if (formOf(format, process.stdout.isTTY) === 'json') return stdout
  const coloured = process.stdout.isTTY && !process.env.NO_COLOR
  return { write: (line) => stdout.write(lineForPeople(line, { coloured })) }
}

/** The log as JSON lines on stdout, or wherever `to` leads: `level` in words, `time` in ISO 8601, `msg`. */
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
