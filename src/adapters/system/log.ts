import { type DestinationStream, destination, pino, stdTimeFunctions } from 'pino'
import type { Log } from '../../ports/log.ts'

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

/** Lines that nobody reads are kept up to here and dropped beyond: a log reader that hangs must not take the service with it. */
const MOST_BUFFERED_BYTES = 16 * 1024 * 1024

/**
 * What must not be logged in the first place (see the port). This is the second net, for a field that slips in under its own name, at
 * the top or one level down.
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

/** The log as JSON lines on stdout, or wherever `to` leads: `level` in words, `time` in ISO 8601, `msg`. */
export function createLog(level: LogLevel, to: DestinationStream = stdout()): Log {
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

/** Written in the background; what is left when the process exits is written then. */
function stdout(): DestinationStream {
  const stream = destination({ fd: 1, sync: false, maxLength: MOST_BUFFERED_BYTES })
  // A full disk or a reader that went away costs log lines and nothing else.
  stream.on('error', () => {})
  return stream
}
