import { z } from 'zod'
import type { OwnTexts } from '../text/own-texts.ts'
import type { Actuators } from './actuator.ts'
import type { Settings } from './settings.ts'
import type { WebAppSettings } from './web-app.ts'

/**
 * An integrating application, as the operator set it up. Secrets are a separate type (`ApplicationSecret`), so that
 * code that shows this one cannot leak them.
 */
export type Application = {
  readonly id: string
  readonly name: string
  /** BCP 47; for contacts without their own language. */
  readonly language: string
  readonly legacy: boolean
  readonly disabled: boolean
  /** Only what the operator set. The rest comes from `notifications.defaults` and the built-in defaults. */
  readonly settings: Partial<Settings>
  readonly actuators: Actuators
  /** Texts that replace the built-in ones. */
  readonly texts: OwnTexts
  /** Allowed prefixes of contacts' numbers. Empty: any. */
  readonly allowedPrefixes: readonly string[]
  /** IANA name of the time zone in which messages and pages show times; null: the machine's. rules.md#local-time. */
  readonly timeZone: string | null
  /** Origins of browser apps that may call `/v1/sdk`. access.md#cors. */
  readonly corsOrigins: readonly string[]
  /** The last entry of every cascade, and the only one of a user without contacts. rules.md#fallback-contact. */
  readonly fallbackContact: FallbackContact | null
  /** Minutes without a report after which a device counts as silent; 0 is off. devices.md#silence. */
  readonly silentAfterMinutes: number
  /** Whether a new contact is asked to confirm. preparing.md#verification. */
  readonly verifyContacts: boolean
  /** Every new incident is a silent emergency. rules.md#silent-emergency. */
  readonly silentByDefault: boolean
  /** The users that may report for other users' trackers. rules.md#relays. */
  readonly relays: Relays
  /**
   * The map address that a tap on a position opens, with `{lat}` and `{lon}`; null: the built-in map. rules.md#texts.
   */
  readonly mapLink: string | null
  /** The app in the box; null: never switched on. app.md. */
  readonly webApp: WebAppSettings | null
  /** Whether a text to the service's number raises an SOS. sms.md#sms-sos. */
  readonly smsSos: boolean
  /** The number that its users text; null: apps cannot show it. */
  readonly smsNumber: string | null
  readonly createdAt: number
}

/** `listed`: only users whom the operator has listed as relays. */
export const relayRules = ['any', 'listed', 'off'] as const
export type Relays = (typeof relayRules)[number]

/** `phone`: E.164. */
export type FallbackContact = { readonly name: string; readonly phone: string }

/** The fields that `tocsin app update` can change. */
export type ApplicationUpdate = Partial<
  Pick<
    Application,
    | 'name'
    | 'language'
    | 'legacy'
    | 'disabled'
    | 'allowedPrefixes'
    | 'timeZone'
    | 'corsOrigins'
    | 'fallbackContact'
    | 'silentAfterMinutes'
    | 'verifyContacts'
    | 'silentByDefault'
    | 'relays'
    | 'mapLink'
    | 'webApp'
    | 'smsSos'
    | 'smsNumber'
  >
>

/** The calling codes, or longer prefixes of E.164 numbers, that contacts of an application may have. Empty: any. */
export const allowedPrefixesSchema = z
  .array(z.string().regex(/^\+[1-9]\d{0,6}$/, 'must be prefixes such as +43,+49, or any'))
  .min(1)
  .max(100)

/** An https address with `{lat}` and `{lon}`, once each: it has to fit into an SMS beside everything else. */
export const mapLinkField = z
  .string()
  .max(120)
  .refine(isMapLink, 'must be an https address with {lat} and {lon}, such as https://map.example.org/?p={lat},{lon}')

function isMapLink(text: string): boolean {
  const parts = text.split(/\{lat\}|\{lon\}/)
  const address = text.replace('{lat}', '47.0700').replace('{lon}', '11.4000')
  return (
    parts.length === 3 && /^https:\/\/[\x21-\x7e]+$/.test(address) && !/[`{}]/.test(address) && URL.canParse(address)
  )
}

/** An IANA time zone that this runtime knows, such as Europe/Vienna. */
export const timeZoneField = z.string().refine(isTimeZone, 'must be a time zone such as Europe/Vienna or UTC')

function isTimeZone(name: string): boolean {
  try {
    // `DateTimeFormat` also accepts offsets such as +02:00, which would be wrong for half of the year.
    return /^[A-Za-z]/.test(name) && new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions() !== null
  } catch {
    return false
  }
}

/** A web origin as browsers send it: scheme, host and port only. */
export const originField = z
  .string()
  .max(300)
  .refine(isOrigin, 'must be an origin such as https://app.example.com, without a path')

function isOrigin(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:') && url.origin === text
}

/** One of at most two secrets that are valid at a time. access.md#secrets. */
export type ApplicationSecret = { readonly id: number; readonly secret: string }
