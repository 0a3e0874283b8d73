import { type Command, InvalidArgumentError, Option } from 'commander'
import { z } from 'zod'
import { machineTimeZone } from '../adapters/platform/system/clock.ts'
import { callingCodeOf } from '../adapters/platform/system/phone-numbers.ts'
import { addSecret, createApplication, retireSecret, updateApplication } from '../app/operator/applications.ts'
import { onOff } from '../config/fields.ts'
import {
  type Application,
  allowedPrefixesSchema,
  type FallbackContact,
  mapLinkField,
  originField,
  type Relays,
  relayRules,
  timeZoneField,
} from '../core/account/application.ts'
import { languageField } from '../core/account/contact-schema.ts'
import { nameField, phoneField } from '../core/account/profile-schema.ts'
import { silentAfterField } from '../core/account/silence.ts'
import {
  colourField,
  countryField,
  emergencyNumberField,
  type WebAppSettings,
  withWebApp,
} from '../core/account/web-app.ts'
import { fieldMessage } from '../core/ingest/field-message.ts'
import { type Answer, record, table } from './answer.ts'
import { applicationAnswer, applicationViewIn } from './application-view.ts'
import { type Act, byCommand, type CommandContext, findApplication, NO_SUCH_APPLICATION } from './command-context.ts'
import { parsed } from './parsed.ts'

const SHOWN_ONCE = 'The secret is shown only once. Keep it on your backend, never in an app.'
const asName = parsed(nameField)
const asLanguage = parsed(languageField)
const asOnOff = parsed(onOff)
const asRelays = parsed(z.enum(relayRules))
const asTimeZone = parsed(timeZoneField)
const asOrigin = parsed(originField)
const asSilentAfter = parsed(silentAfterField)

type Update = {
  readonly name?: string
  readonly language?: string
  readonly legacy?: boolean
  readonly allowedPrefixes?: readonly string[]
  readonly timeZone?: string
  readonly corsOrigins?: readonly string[]
  readonly fallbackContact?: FallbackContact | null
  readonly silentAfterMinutes?: number
  readonly verifyContacts?: boolean
  readonly silentByDefault?: boolean
  readonly relays?: Relays
  readonly mapLink?: string | null
  readonly webApp?: WebAppSettings | null
  readonly smsSos?: boolean
  readonly smsNumber?: string | null
}
/** Under the names of the command-line options. */
type UpdateOptions = Omit<
  Update,
  'corsOrigins' | 'fallbackContact' | 'silentAfterMinutes' | 'mapLink' | 'webApp' | 'smsNumber'
> & {
  readonly webApp?: boolean
  readonly colour?: string
  readonly emergencyNumber?: string
  readonly country?: string
  readonly mapLink?: string
  readonly smsNumber?: string | typeof NONE
  readonly silentAfter?: number
  readonly corsOrigin?: readonly string[]
  readonly fallbackContact?: string | typeof NONE
  readonly fallbackName?: string
}
type Create = Required<Pick<Update, 'name' | 'language' | 'legacy' | 'timeZone' | 'verifyContacts'>> &
  Pick<Update, 'allowedPrefixes'>

const NONE = 'none'
const DEFAULT = 'default'
const FALLBACK_NAME = 'Fallback contact'
const VERIFY = 'ask a new contact by SMS whether they agree to be alarmed'
const ZONE = 'time zone of messages and pages, for example Europe/Vienna'

/** Not `parsed`, which would read the phone number as a number. */
function asNumber(text: string): string {
  if (text === NONE || phoneField.safeParse(text).success) return text
  throw new InvalidArgumentError('It must be an E.164 number such as +4366012345678, or none.')
}

const asOrigins = (text: string, before: readonly string[] = []): readonly string[] =>
  text === NONE ? [] : [...before, asOrigin(text)]

const PREFIXES = 'country prefixes that contacts may have (+43,+49), or any'
// Not `parsed`, which would read 43 (without its +) as a number and complain about that instead.
function asPrefixes(text: string): readonly string[] {
  if (text === 'any') return []
  const prefixes = text.split(',').map((prefix) => prefix.trim())
  const checked = allowedPrefixesSchema.safeParse(prefixes, { error: fieldMessage })
  if (checked.success) return checked.data
  throw new InvalidArgumentError(`It ${checked.error.issues[0]!.message}.`)
}

// Not `parsed`, which would read the number as a number.
function asEmergencyNumber(text: string): string {
  const checked = emergencyNumberField.safeParse(text)
  if (checked.success) return checked.data
  throw new InvalidArgumentError(`It ${checked.error.issues[0]!.message}.`)
}

const asMapLink = (text: string): string => (text === DEFAULT ? text : parsed(mapLinkField)(text))

/** `tocsin app …`: the integrating applications. */
export function addAppCommands(program: Command, act: Act): Command {
  const app = program.command('app').description('manage the applications that use this service')

  app
    .command('create')
    .description('add an application and print its id and secret')
    .requiredOption('--name <name>', 'name of the application', asName)
    .option('--legacy', 'allow the topics of legacy clients', false)
    .option('--language <tag>', 'language for contacts without one of their own (BCP 47)', asLanguage, 'en')
    .option('--allowed-prefixes <list|any>', PREFIXES, asPrefixes)
    .option('--time-zone <zone>', ZONE, asTimeZone, machineTimeZone())
    .addOption(new Option('--verify-contacts <on|off>', VERIFY).argParser(asOnOff).default(true, 'on'))
    .action(
      act(async (context, { allowedPrefixes = [], ...given }: Create) => {
        const { application, secret } = await createApplication(
          context,
          { ...given, allowedPrefixes },
          byCommand(context),
        )
        return withSecret(application.id, secret)
      }),
    )

  app
    .command('list')
    .description('list the applications')
    .action(
      act(async ({ store, config }) => {
        const applications = await store.applications()
        const rows = applications.map(({ id, name, language, legacy, disabled, actuators }) => ({
          id,
          name,
          language,
          legacy,
          disabled,
          actuators: Object.keys(actuators).join(', '),
        }))
        return {
          json: applications.map((application) => applicationViewIn(application, config)),
          text: table(rows, 'No applications yet. Create one with: tocsin app create --name NAME'),
        }
      }),
    )

  app
    .command('show <app>')
    .description('show an application and its current settings')
    .action(
      act(async ({ store, config }, appId: string) => {
        const found = await findApplication(store, appId)
        return 'refused' in found ? found : applicationAnswer(found.application, config)
      }),
    )

  app
    .command('update <app>')
    .description('change an application')
    .option('--name <name>', 'name of the application', asName)
    .option('--legacy <on|off>', 'allow the topics of legacy clients', asOnOff)
    .option('--language <tag>', 'language for contacts without one of their own (BCP 47)', asLanguage)
    .option('--allowed-prefixes <list|any>', PREFIXES, asPrefixes)
    .option('--time-zone <zone>', ZONE, asTimeZone)
    .option('--cors-origin <origin|none>', 'origin of a browser app that may call the REST API; repeatable', asOrigins)
    .option('--fallback-contact <number|none>', 'who is alerted last, and for users without contacts', asNumber)
    .option('--fallback-name <name>', 'name of the fallback contact', asName)
    .option('--silent-after <6h|off>', 'warn when a device has not been heard from for this long', asSilentAfter)
    .option('--verify-contacts <on|off>', VERIFY, asOnOff)
    .option(
      '--silent-by-default <on|off>',
      'make every new SOS a silent emergency: nothing rings at the person',
      asOnOff,
    )
    .option('--relays <any|listed|off>', 'which users may send for the trackers of others', asRelays)
    .option('--web-app <on|off>', 'the app in the box, at /app', asOnOff)
    .option('--colour <#rrggbb>', 'colour of the app', parsed(colourField))
    .option('--emergency-number <number>', 'the number that the app calls, such as 112', asEmergencyNumber)
    .option('--country <code>', 'country of its users (ISO 3166-1), such as AT', parsed(countryField))
    .option('--map-link <https://…{lat}…{lon}…|default>', 'where a tap on a position leads', asMapLink)
    .option('--sms-sos <on|off>', 'a text to the service raises an SOS', asOnOff)
    .option('--sms-number <number|none>', 'the number that users text, for their apps to show', asNumber)
    .action(
      act(async (context, appId: string, options: UpdateOptions, command: Command) => {
        if (Object.keys(options).length === 0) {
          command.error(
            `error: nothing to change; give at least one of ${command.options.map(({ long }) => long).join(', ')}`,
          )
        }
        const found = await findApplication(context.store, appId)
        if ('refused' in found) return found
        const update = updateOf(options, found.application)
        if (update === null) command.error('error: --fallback-name needs --fallback-contact +…')
        return change(context, appId, update)
      }),
    )

  app
    .command('disable <app>')
    .description('stop admitting its users and close their connections')
    .action(act((context, appId: string) => change(context, appId, { disabled: true })))

  app
    .command('enable <app>')
    .description('admit its users again')
    .action(act((context, appId: string) => change(context, appId, { disabled: false })))

  app
    .command('rotate-secret <app>')
    .description('add a second valid secret, or retire the older of two')
    .option('--retire', 'retire the older secret and close the connections that it admitted', false)
    .action(
      act((context, appId: string, { retire }: { retire: boolean }) => (retire ? retireOlder : rotate)(context, appId)),
    )

  return app
}

/** Null if a name is given but there is no fallback contact to rename. */
function updateOf(options: UpdateOptions, application: Application): Update | null {
  const { fallbackContact: known } = application
  const { corsOrigin, fallbackContact, fallbackName, silentAfter, mapLink, smsNumber, ...others } = options
  const { webApp: isOn, colour, emergencyNumber, country, ...plain } = others
  const ofApp = {
    ...(isOn !== undefined && { isOn }),
    ...(colour !== undefined && { colour }),
    ...(emergencyNumber !== undefined && { emergencyNumber }),
    ...(country !== undefined && { country }),
  }
  const phone = fallbackContact ?? (fallbackName === undefined ? undefined : (known?.phone ?? null))
  if (phone === null || (phone === NONE && fallbackName !== undefined)) return null
  const fallback = phone === NONE ? null : phone && { phone, name: fallbackName ?? known?.name ?? FALLBACK_NAME }
  return {
    ...(Object.keys(ofApp).length > 0 && withWebApp(application, ofApp, callingCodeOf)),
    ...plain,
    ...(corsOrigin !== undefined && { corsOrigins: [...new Set(corsOrigin)] }),
    ...(silentAfter !== undefined && { silentAfterMinutes: silentAfter }),
    ...(mapLink !== undefined && { mapLink: mapLink === DEFAULT ? null : mapLink }),
    ...(smsNumber !== undefined && { smsNumber: smsNumber === NONE ? null : smsNumber }),
    ...(fallback !== undefined && { fallbackContact: fallback as FallbackContact | null }),
  }
}

async function change(
  context: CommandContext,
  appId: string,
  update: Update & { readonly disabled?: boolean },
): Promise<Answer> {
  const found = await findApplication(context.store, appId)
  if ('refused' in found) return found
  const updated = await updateApplication(context, found.application.id, update, byCommand(context))
  return 'refused' in updated ? { refused: NO_SUCH_APPLICATION } : applicationAnswer(updated, context.config)
}

const withSecret = (appId: string, secret: string): Answer => ({
  json: { appId, secret },
  text: `${record({ appId, secret })}\n\n${SHOWN_ONCE}`,
})

const secretRefusals = {
  application_not_found: NO_SUCH_APPLICATION,
  two_secrets_already: 'two secrets are already valid; retire the older one first with --retire',
  only_one_secret: 'only one secret is valid, and retiring it would lock everyone out; add another one first',
} as const

async function rotate(context: CommandContext, appId: string): Promise<Answer> {
  const found = await findApplication(context.store, appId)
  if ('refused' in found) return found
  const { id } = found.application
  const added = await addSecret(context, id, byCommand(context))
  return 'refused' in added ? { refused: secretRefusals[added.refused] } : withSecret(id, added.secret)
}

async function retireOlder(context: CommandContext, appId: string): Promise<Answer> {
  const found = await findApplication(context.store, appId)
  if ('refused' in found) return found
  const { id } = found.application
  const retired = await retireSecret(context, id, byCommand(context))
  if ('refused' in retired) return { refused: secretRefusals[retired.refused] }
  return { json: { appId: id, retired: true }, text: 'The older secret is no longer valid.' }
}
