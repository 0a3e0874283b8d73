import { Argument, type Command, Option } from 'commander'
import { z } from 'zod'
import { httpUrl } from '../config/fields.ts'
import { keyOf, messageOf } from '../config/problem.ts'
import { settingFields, settingNames } from '../config/setting-fields.ts'
import { type Actuators, actuatorsSchema, chatFormats } from '../core/account/actuator.ts'
import { type ActuatorType, actuatorTypes } from '../core/account/actuator-types.ts'
import type { Settings } from '../core/incident/settings.ts'
import { settingsSchema } from '../core/incident/settings-schema.ts'
import type { Answer } from './answer.ts'
import { applicationAnswer } from './application-view.ts'
import { type Act, type CommandContext, findApplication, NO_SUCH_APPLICATION } from './command-context.ts'
import { parsed } from './parsed.ts'

type Given = Readonly<Record<string, unknown>>

/** The options that make up an actuator's target, by type. */
const targetOptions = {
  emergency_contacts: ['httpUrl'],
  chat: ['url', 'format'],
  webhook: ['url', 'secret'],
} as const satisfies Record<ActuatorType, readonly string[]>

/** protocol.md#command-line: the HTTP settings also apply to chat and webhook, the others only to contacts. */
const settingsOf = (type: ActuatorType): readonly (keyof Settings)[] =>
  settingNames.filter((name) => type === 'emergency_contacts' || name.startsWith('http'))

const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

function settingOption(name: keyof Settings): Option {
  const field: z.ZodType = settingsSchema.shape[name]
  const unit = /(Seconds|Minutes|Hours)$/.exec(name)?.[0].toLowerCase() ?? 'number'
  const value = field instanceof z.ZodBoolean ? 'on|off' : field instanceof z.ZodArray ? `${unit},…` : unit
  return new Option(`--${kebab(name)} <${value}>`, field.description).argParser(
    parsed(settingFields[name] as z.ZodType<unknown>),
  )
}

/** `tocsin app actuator …`: how an application raises alarms. One actuator per type. protocol.md#command-line. */
export function addActuatorCommands(app: Command, act: Act): void {
  const actuator = app.command('actuator').description('manage how an application raises alarms')
  const type = () => new Argument('<type>', 'type of the actuator').choices(actuatorTypes)

  const set = actuator
    .command('set')
    .description('add an actuator, or change the given settings of one')
    .argument('<app>')
    .addArgument(type())
    .option('--url <url>', 'chat, webhook: the address to post to', parsed(httpUrl))
    .addOption(new Option('--format <format>', 'chat: format of the post (default text)').choices(chatFormats))
    .option('--secret <secret>', 'webhook: signs every request with it')
    .option('--http-url <url|off>', 'emergency_contacts: a gateway of your own, called for each contact', gateway)
  for (const name of settingNames) set.addOption(settingOption(name))
  set.action(
    act((context, appId: string, actuatorType: ActuatorType, given: Given, command: Command) => {
      const misplaced = Object.keys(given).find((name) => !belongsTo(actuatorType, name))
      if (misplaced !== undefined) command.error(`error: --${kebab(misplaced)} cannot be used with ${actuatorType}`)
      return setActuator(context, appId, actuatorType, given, command)
    }),
  )

  actuator
    .command('remove')
    .description('remove an actuator')
    .argument('<app>')
    .addArgument(type())
    .action(
      act(async ({ store, config }, appId: string, actuatorType: ActuatorType) => {
        const found = await findApplication(store, appId)
        if ('refused' in found) return found
        const changed = await store.setActuator(found.application.id, actuatorType, null, {})
        return 'refused' in changed ? { refused: NO_SUCH_APPLICATION } : applicationAnswer(changed, config)
      }),
    )
}

const asUrl = parsed(httpUrl)

// Uses false because commander would turn null into an empty text.
const gateway = (text: string): string | false => text !== 'off' && asUrl(text)

const belongsTo = (type: ActuatorType, option: string): boolean =>
  [...targetOptions[type], ...settingsOf(type)].some((name) => name === option)

async function setActuator(
  { store, config }: CommandContext,
  appId: string,
  type: ActuatorType,
  given: Given,
  command: Command,
): Promise<Answer> {
  const found = await findApplication(store, appId)
  if ('refused' in found) return found
  const { id, actuators } = found.application
  const target = targetOf(type, actuators[type], given)
  if (type !== 'emergency_contacts' && target.url === undefined) command.error(`error: ${type} needs --url`)
  const checked = actuatorsSchema.safeParse({ [type]: target })
  if (!checked.success) {
    const [issue] = checked.error.issues
    return { refused: `--${kebab(keyOf(issue!.path.slice(1)))} ${messageOf(issue!)}` }
  }
  const { allowPrivateTargets } = config.notifications
  if (typeof given.url === 'string' && !allowPrivateTargets && (await isBlocked(given.url))) {
    return { refused: `${type} must not be at a private, loopback or link-local address; ${REMEDY}` }
  }
  const settings = Object.fromEntries(settingsOf(type).flatMap((name) => (name in given ? [[name, given[name]]] : [])))
  const changed = await store.setActuator(id, type, checked.data[type], settings)
  return 'refused' in changed ? { refused: NO_SUCH_APPLICATION } : applicationAnswer(changed, config)
}

/** Imported only here, because its HTTP client takes longer to load than most commands to run. */
async function isBlocked(url: string): Promise<boolean> {
  const { isBlockedTarget } = await import('../adapters/outbound/http/address-guard.ts')
  return isBlockedTarget(url)
}

const REMEDY = 'set notifications.allowPrivateTargets to true to allow it'

/** The configured target with the given options applied. An option given as off removes the value. */
function targetOf(type: ActuatorType, configured: Actuators[ActuatorType], given: Given): Given {
  const options = targetOptions[type].flatMap((name) => (name in given ? [[name, given[name]]] : []))
  const merged = { ...configured, ...Object.fromEntries(options) }
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== false))
}
