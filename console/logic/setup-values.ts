import { numberOf } from './typed-number.ts'
import { yamlOf } from './yaml.ts'

/** The kind of input for a setting. */
type Kind = 'text' | 'number' | 'lines' | 'headers' | 'numbers' | 'yaml' | 'long' | 'choice' | 'zone'

const kinds: Readonly<Record<string, Kind>> = {
  'notifications.lanHosts': 'lines',
  'map.overlays': 'lines',
  'tracking.emergencyNumbers': 'numbers',
  'lorawan.profiles': 'yaml',
  timeZone: 'zone',
  'acme.enabled': 'choice',
  'acme.domains': 'lines',
  'http.acmePort': 'number',
  'tls.names': 'lines',
  'tls.pem': 'long',
  'twilio.receipts': 'choice',
  'twilio.smsPerSecond': 'number',
  'twilio.callsPerSecond': 'number',
  'twilio.pollSeconds': 'number',
  'twilio.validitySeconds': 'number',
  'gateway.headers': 'headers',
  'gateway.template': 'long',
  'gateway.channels': 'choice',
  'modem.smsPerMinute': 'number',
  'modem.timeoutSeconds': 'number',
  'modem.answers': 'choice',
  'smtp.perSecond': 'number',
  'smtp.connections': 'number',
}
export const kindOf = (key: string): Kind => kinds[key] ?? 'text'

/** The choices of a setting of the kind `choice`, as typed. */
export const choicesOf: Readonly<Record<string, readonly string[]>> = {
  'twilio.receipts': ['', 'callback', 'poll'],
  'gateway.channels': ['', 'sms', 'voice', 'sms,voice'],
  'modem.answers': ['on', 'off'],
  'acme.enabled': ['on', 'off'],
}

/** The keys of each way to send: those that everyone needs, and the rest. */
export const providerKeys = {
  twilio: {
    main: ['twilio.accountSid', 'twilio.authToken', 'twilio.from', 'twilio.messagingServiceSid'],
    more: [
      'twilio.receipts',
      'twilio.smsPerSecond',
      'twilio.callsPerSecond',
      'twilio.pollSeconds',
      'twilio.validitySeconds',
    ],
  },
  http: { main: ['gateway.url', 'gateway.headers'], more: ['gateway.template', 'gateway.channels'] },
  modem: { main: ['modem.spool'], more: ['modem.smsPerMinute', 'modem.timeoutSeconds', 'modem.answers'] },
} as const
export type Provider = keyof typeof providerKeys
export const isProvider = (name: string): name is Provider => Object.hasOwn(providerKeys, name)

type Row = Readonly<Record<string, unknown>>

type Setting = {
  readonly key: string
  readonly source: 'default' | 'console' | 'file' | 'environment'
  readonly value: unknown
  readonly secret: boolean
  readonly set: boolean
}

/** The draft, by key. Null: the secret is to be removed. An absent key stays as it is. */
export type Draft = Readonly<Record<string, string | null>>

/** Whether the console can change it. */
export const isOurs = ({ source }: Pick<Setting, 'source'>): boolean => source === 'default' || source === 'console'

/** A value as it is typed. */
export function typedOf(value: unknown, kind: Kind): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  if (Array.isArray(value)) return value.join(kind === 'lines' ? '\n' : ',')
  if (typeof value === 'object') {
    const pairs = Object.entries(value)
    return kind === 'yaml' ? yamlOf(value as object as Row) : pairs.map(([name, one]) => `${name}: ${one}`).join('\n')
  }
  return String(value)
}

const linesOf = (typed: string): readonly string[] =>
  typed
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)

/** The draft in the configuration's form; null for nothing. The service refuses unreadable values. */
export function settingOf(typed: string, key: string): unknown {
  const text = typed.trim()
  if (text === '') return null
  const kind = kindOf(key)
  switch (kind) {
    case 'number': {
      const number = Number(text.replace(',', '.'))
      return Number.isNaN(number) ? text : number
    }
    case 'lines':
      return linesOf(text)
    case 'headers':
      return headersOf(text)
    case 'numbers': {
      const pairs = headersOf(text)
      return typeof pairs === 'string' ? pairs : numbersOf(pairs)
    }
    case 'choice':
      return key === 'gateway.channels' ? text.split(',') : text
    // The service reads it.
    case 'yaml':
    case 'long':
    case 'zone':
    case 'text':
      // A sender may also be a name.
      return key === 'twilio.from' ? (numberOf(text) ?? text) : text
    default:
      return kind satisfies never
  }
}

/** As people write countries and numbers: `at: 1 40`. */
const numbersOf = (pairs: Readonly<Record<string, string>>): Row =>
  Object.fromEntries(
    Object.entries(pairs).map(([country, number]) => [
      country.toUpperCase(),
      number.replace(/(?<=[\d+])[\s/-]+(?=\d)/g, ''),
    ]),
  )

function headersOf(text: string): string | Readonly<Record<string, string>> {
  const pairs = linesOf(text).map((line) => /^([^:]+):\s*(.*)$/.exec(line))
  if (pairs.includes(null)) return text
  return Object.fromEntries(pairs.map((pair) => [pair![1]!.trim(), pair![2]!]))
}

/** The part of a draft for the service: only differences, and nothing that the console cannot change. */
export function changesOf(settings: readonly Setting[], draft: Draft): Readonly<Record<string, unknown>> {
  const changes: Record<string, unknown> = {}
  for (const setting of settings) {
    const { key, value, secret, set } = setting
    const typed = draft[key]
    if (typed === undefined || !isOurs(setting)) continue
    if (secret) {
      if (typed === null && set) changes[key] = null
      else if (typed !== null && typed.trim() !== '') changes[key] = settingOf(typed, key)
    } else if ((typed ?? '').trim() !== typedOf(value, kindOf(key))) changes[key] = settingOf(typed ?? '', key)
  }
  return changes
}

/** The environment variable of a key: `TOCSIN_TWILIO_AUTH_TOKEN`. */
export const variableOf = (key: string): string =>
  `TOCSIN_${key
    .replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_')
    .replaceAll('.', '_')
    .toUpperCase()}`

export type TestAdvice = 'credentials' | 'number' | 'sender' | 'unreachable' | 'blocked' | 'modem' | 'limited' | 'other'

/** The meanings of Twilio's codes: https://www.twilio.com/docs/api/errors. */
const ABOUT: readonly (readonly [RegExp, TestAdvice])[] = [
  [/^upstream HTTP 40[134]$|^provider error (20003|20004|20404|20008|70051)$/, 'credentials'],
  [/^invalid number$|^provider error (21211|21214|21217|21408|21421|21608|21610|21612|21614|21635)$/, 'number'],
  [/^provider error (21212|21603|21606|21659|21660|21701|21703|21704|30034)$/, 'sender'],
  [/^connection |^network |^name not found$|^certificate |^upstream HTTP 5/, 'unreachable'],
  [/^blocked address$/, 'blocked'],
  [/^modem |^spool /, 'modem'],
  [/^rate limited|^provider busy$/, 'limited'],
]

/** The thing to check where a test message could not be sent (rules.md#failure-texts). */
export const adviceOf = (error: string): TestAdvice => ABOUT.find(([pattern]) => pattern.test(error))?.[1] ?? 'other'
