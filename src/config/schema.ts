import { isIP } from 'node:net'
import { z } from 'zod'
import { timeZoneField } from '../core/account/application.ts'
import { loraSettingsSchema } from '../core/account/lora-settings.ts'
import { defaultSettings, type Settings } from '../core/account/settings.ts'
import { timeZoneNamed } from '../core/account/time-zone.ts'
import { textChannels } from '../core/incident/delivery.ts'
import { acmeSection, tlsNames, tlsPem } from './acme.ts'
import { ageRecipient } from './age-recipient.ts'
import {
  baseUrl,
  choice,
  httpUrl,
  onOff,
  optional,
  port,
  rate,
  secretOf,
  section,
  settingFields,
  settingNames,
  text,
  wholeNumber,
} from './fields.ts'
import { lorawanSection } from './lorawan.ts'
import { smtpSection } from './smtp.ts'

const MAX_PACKET_BYTES = 16 * 1024 * 1024
const DAY_SECONDS = 24 * 3600
/** Twilio's own limit for a text's validity. */
const MAX_VALIDITY_SECONDS = 36_000
/** An account answers about as many requests at once, unless Twilio has raised it. */
const DEFAULT_TWILIO_REQUESTS = 100
/** At 200 ms each, these are more than the highest rate lets through. */
const MAX_TWILIO_REQUESTS = 500

const networkNames = ['loopback', 'linklocal', 'uniquelocal']

function isNetwork(entry: string): boolean {
  const [address = '', prefix, ...rest] = entry.split('/')
  const bits = isIP(address) === 6 ? 128 : 32
  return (
    rest.length === 0 && isIP(address) !== 0 && (prefix === undefined || (/^\d{1,3}$/.test(prefix) && +prefix <= bits))
  )
}

const isProxy = (entry: string): boolean => networkNames.includes(entry) || isNetwork(entry)

const proxies = z
  .array(
    z.string().refine(isProxy, `must be an address, a network (10.0.0.0/8) or one of ${networkNames.join(', ')}`),
    'must be a list of addresses and networks',
  )
  .min(1, 'must be a list of addresses and networks')

const LAN_HOSTS = 'must be a list of addresses, networks (192.168.4.0/24) and host names'
const HOST_NAME = /^(?=.{1,253}$)[a-z0-9_-]+(\.[a-z0-9_-]+)*$/i

/** Checked when a connection is opened: this machine, link-local and metadata addresses never count. */
const lanHosts = z
  .array(
    text.refine((entry) => isNetwork(entry) || (HOST_NAME.test(entry) && !/^[\d.]+$/.test(entry)), LAN_HOSTS),
    LAN_HOSTS,
  )
  .max(100, 'must not have more than 100 entries')

/** IANA; a city's German name is understood. */
const siteTimeZone = text.transform(timeZoneNamed).pipe(timeZoneField)

const splitAtCommas = (value: string): string[] => value.split(',').map((one) => one.trim())

/** The clients whose `X-Forwarded-…` headers are trusted: none, all, or the listed addresses and networks. */
const trustProxy = z.preprocess(
  (value) => (typeof value === 'string' && !onOff.safeParse(value).success ? splitAtCommas(value) : value),
  z.union([onOff, proxies], 'must be on, off, or a list of addresses and networks'),
)

/** The load balancers whose connections begin with a PROXY header (several-nodes.md#behind-a-load-balancer). */
const balancers = optional(z.preprocess((value) => (typeof value === 'string' ? splitAtCommas(value) : value), proxies))

const providers = ['outbox', 'twilio', 'http', 'modem'] as const
const providerList = z
  .array(choice(providers), `must be a list of ${providers.join(', ')}`)
  .min(1, 'must name a provider')
  .refine((list) => new Set(list).size === list.length, 'must name each provider once')

const channelList = z
  .array(choice(textChannels), `must be a list of ${textChannels.join(', ')}`)
  .min(1, 'must name a channel')
  .refine((list) => new Set(list).size === list.length, 'must name each channel once')

/** By country. As a phone dials it: a short number, or one with its country code. */
const emergencyNumbers = z.record(
  z.string().regex(/^[A-Z]{2}$/),
  text.regex(/^\+?\d{2,15}$/, 'must be a number to dial'),
  {
    error: (issue) =>
      issue.code === 'invalid_key' ? 'is not an ISO 3166-1 alpha-2 country code in capitals' : 'must be a mapping',
  },
)

const FILE_LIST = 'must be a list of files'
const fileList = z.array(text, FILE_LIST).max(20, 'must not list more than 20 files')

const PLACEHOLDERS = ['{z}', '{x}', '{y}'] as const

/** The address from which browsers load map images. */
const tileUrl = text.refine((url) => {
  const parsed = URL.parse(url)
  // The host goes into a content security policy.
  const isPlain = parsed !== null && /^https:\/\/[\w.-]+(:\d+)?$/.test(parsed.origin) && parsed.username === ''
  return isPlain && PLACEHOLDERS.every((one) => url.includes(one))
}, 'must be an https address with {z}, {x} and {y}')

/** RFC 9110, 5.1: names are tokens. A line break in a value would start another header. */
const headers = z.record(z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/), text.regex(/^\P{Cc}*$/u, 'must be one line'), {
  error: (issue) =>
    issue.code === 'invalid_key' ? 'is not a valid header name' : 'must be header names with their values',
})

const settingDefaults = Object.fromEntries(
  settingNames.map((name) => [name, (settingFields[name] as z.ZodType<unknown>).default(defaultSettings[name])]),
) as { readonly [K in keyof Settings]: z.ZodDefault<z.ZodType<Settings[K]>> }

const COMMAND = 'must be a program with its arguments, as a list; the program with its absolute path'

/** No shell reads it. A text is a program without arguments. */
const command = z.preprocess(
  (value) => (typeof value === 'string' ? [value] : value),
  z
    .array(text, COMMAND)
    .min(1, COMMAND)
    .max(50, COMMAND)
    .refine(([program = '']) => program.startsWith('/'), COMMAND),
)

const timeOfDay = text.regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day such as "03:10"')

/** 0 keeps it for ever. */
const daysKept = wholeNumber(0, 36_500)

/**
 * Every key of the configuration, with its default. This one schema provides the types, the checks, the table of
 * environment variables, and the list that config/tocsin.example.yaml is compared with. protocol.md#configuration.
 */
export const configSchema = z.strictObject({
  dataDir: text.default('./data'),
  store: section({
    url: optional(secretOf(text.regex(/^postgres(ql)?:\/\//, 'must begin with postgresql://'))),
    notify: onOff.default(true),
  }),
  node: section({
    id: optional(text.regex(/^[\w.-]{1,64}$/, 'must be 1 to 64 letters, digits, dots, hyphens or underscores')),
  }),
  publicUrl: optional(baseUrl),
  timeZone: optional(siteTimeZone),
  log: section({
    level: choice(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
    format: choice(['auto', 'json', 'text']).default('auto'),
  }),
  mqtt: section({
    host: text.default('127.0.0.1'),
    port: port.default(1883),
    maxPacketBytes: wholeNumber(1024, MAX_PACKET_BYTES).default(64 * 1024),
    stateOnSubscribe: onOff.default(true),
    proxyProtocol: balancers,
    callbackToken: optional(secretOf(text)),
    callbackDenyStatus: choice([403, 200]).default(403),
    sessionTtlSeconds: rate(DAY_SECONDS).default(300),
  }),
  mqtts: section({ host: text.default('0.0.0.0'), port: port.default(8883) }),
  http: section({
    host: text.default('127.0.0.1'),
    port: port.default(8080),
    trustProxy: trustProxy.default(false),
    proxyProtocol: balancers,
    acmePort: port.default('off'),
  }),
  https: section({ host: text.default('0.0.0.0'), port: port.default(8443) }),
  tls: section({
    cert: optional(text),
    key: optional(text),
    pem: optional(secretOf(tlsPem)),
    names: optional(tlsNames),
  }),
  acme: acmeSection,
  docs: section({ enabled: onOff.default(true) }),
  console: section({ enabled: onOff.default(true) }),
  metrics: section({ token: optional(secretOf(text)) }),
  canary: section({ everyMinutes: wholeNumber(0, 7 * 24 * 60).default(60) }),
  heartbeat: section({ url: optional(secretOf(httpUrl)) }),
  backup: section({
    to: text.default('backups'),
    at: timeOfDay.default('03:10'),
    keep: wholeNumber(1, 1000).default(14),
    recipient: optional(ageRecipient),
    after: optional(command),
  }),
  notifications: section({
    providers: providerList.default(['outbox']),
    allowPrivateTargets: onOff.default(false),
    lanHosts: lanHosts.default([]),
    defaults: section(settingDefaults),
  }),
  twilio: section({
    accountSid: optional(text.regex(/^AC\w+$/, 'must begin with AC')),
    authToken: optional(secretOf(text)),
    from: optional(text),
    messagingServiceSid: optional(text.regex(/^MG\w+$/, 'must begin with MG')),
    baseUrl: baseUrl.default('https://api.twilio.com'),
    receipts: optional(choice(['callback', 'poll'])),
    pollSeconds: rate(3600).default(5),
    smsPerSecond: rate(1000).default(1),
    callsPerSecond: rate(1000).default(1),
    requestsAtOnce: wholeNumber(1, MAX_TWILIO_REQUESTS).default(DEFAULT_TWILIO_REQUESTS),
    validitySeconds: wholeNumber(1, MAX_VALIDITY_SECONDS).default(600),
  }),
  gateway: section({
    url: optional(secretOf(httpUrl)),
    headers: optional(secretOf(headers)),
    template: optional(secretOf(text)),
    channels: optional(channelList),
  }),
  modem: section({
    spool: optional(text.regex(/^\//, 'must be an absolute path')),
    smsPerMinute: rate(600).default(20),
    timeoutSeconds: wholeNumber(15, 300).default(60),
    answers: onOff.default(true),
    smsdConfig: optional(text.regex(/^\//, 'must be an absolute path')),
  }),
  smtp: smtpSection,
  lora: section(loraSettingsSchema.shape),
  lorawan: lorawanSection,
  tracking: section({ emergencyNumbers: emergencyNumbers.default({}) }),
  map: section({
    overlays: fileList.default([]),
    basemap: optional(text),
    tileUrl: optional(tileUrl),
    attribution: optional(text.max(200, 'must not be longer than 200 characters')),
  }),
  limits: section({
    contactsPerUser: wholeNumber(1, 1000).default(10),
    devicesPerUser: wholeNumber(1, 1000).default(10),
    verificationsPerDay: wholeNumber(0, 1_000_000).default(1000),
    telemetryMbPerUser: wholeNumber(1, 1_000_000).default(256),
    deadLetterKbPerUser: wholeNumber(1, 1_000_000).default(1024),
    feedbackPerUser: wholeNumber(1, 100_000).default(100),
    incidentsPerUser: wholeNumber(10, 1_000_000).default(10_000),
    requestsPerMinutePerUser: wholeNumber(0, 1_000_000).default(3000),
    requestsPerMinutePerAddress: wholeNumber(0, 1_000_000).default(30_000),
    inFlightPerConnection: wholeNumber(1, 65_535).default(128),
    messagesPerSecondPerConnection: wholeNumber(1, 1_000_000).default(10_000),
    bytesPerSecondPerConnection: wholeNumber(64 * 1024, 2 ** 30).default(8 * 1024 * 1024),
    waitingMb: wholeNumber(1, 100_000).default(32),
    diskReserveMb: wholeNumber(0, 1_000_000).default(64),
  }),
  retention: section({
    telemetryDays: daysKept.default(90),
    incidentDays: daysKept.default(730),
    outboxDays: daysKept.default(90),
    deadLetterDays: daysKept.default(30),
    feedbackDays: daysKept.default(730),
    auditDays: daysKept.default(730),
  }),
})
