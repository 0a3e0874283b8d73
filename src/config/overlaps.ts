import type { Config } from '../config.ts'
import { variableOfKey } from './keys.ts'
import { writtenIn } from './settings.ts'

/** The keys of an account: of two places, they may belong to two accounts. */
const accounts: readonly (readonly string[])[] = [
  ['twilio.accountSid', 'twilio.authToken', 'twilio.from', 'twilio.messagingServiceSid'],
  ['gateway.url', 'gateway.headers', 'gateway.template'],
  ['smtp.url', 'smtp.from'],
]

/**
 * Settings that the file or the environment makes as well as the console, and accounts with settings of both, one
 * sentence each. `stored`: the keys that have a value in the console. setup.md#what-counts.
 */
export function overlaps(config: Pick<Config, 'written'>, stored: readonly string[]): readonly string[] {
  const placeOf = (key: string): string | null => {
    const written = writtenIn(config, key)
    return written === 'environment' ? `in the environment (${variableOfKey(key)})` : written && 'in the file'
  }
  const twice = stored.flatMap((key) => {
    const place = placeOf(key)
    return place === null
      ? []
      : [`${key} is set ${place} and in the console: the console's does not count, until it is no longer set there`]
  })
  const mixed = accounts.flatMap((keys) => {
    const written = keys.find((key) => placeOf(key) !== null)
    const ours = keys.find((key) => stored.includes(key) && placeOf(key) === null)
    return written === undefined || ours === undefined
      ? []
      : [
          `${ours} is set in the console and ${written} ${placeOf(written)}: both count, so set one account in one place`,
        ]
  })
  return [...twice, ...mixed]
}
