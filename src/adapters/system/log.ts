import { type DestinationStream, pino, stdTimeFunctions } from 'pino'
import type { Log } from '../../ports/log.ts'
import { LineWriter } from './line-writer.ts'

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

const STDOUT = 1

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
export function createLog(level: LogLevel, to: DestinationStream = new LineWriter(STDOUT)): Log {
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
