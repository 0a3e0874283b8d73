import { Argument, type Command, Option } from 'commander'
import { z } from 'zod'
import { removeActuator, setActuator, targetOptions } from '../app/operator/actuators.ts'
import { httpUrl, settingFields, settingNames } from '../config/fields.ts'
import { keyOf } from '../config/problem.ts'
import { chatFormats } from '../core/account/actuator.ts'
import { type ActuatorType, actuatorTypes } from '../core/account/actuator-types.ts'
import type { Settings } from '../core/account/settings.ts'
import { settingsSchema } from '../core/account/settings-schema.ts'
import type { Answer } from './answer.ts'
import { applicationAnswer } from './application-view.ts'
import { type Act, byCommand, type CommandContext, findApplication, NO_SUCH_APPLICATION } from './command-context.ts'
import { parsed } from './parsed.ts'

type Given = Readonly<Record<string, unknown>>

/** protocol.md#command-line: chat and webhook have HTTP settings of their own, and no others. */
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

  const setting = actuator
    .command('set')
    .description('add an actuator, or change the given settings of one')
    .argument('<app>')
    .addArgument(type())
    .option('--url <url>', 'chat, webhook: the address to post to', parsed(httpUrl))
    .addOption(new Option('--format <format>', 'chat: format of the post (default text)').choices(chatFormats))
    .option('--secret <secret>', 'webhook: signs every request with it')
    .option('--http-url <url|off>', 'emergency_contacts: a gateway of your own, called for each contact', gateway)
  for (const name of settingNames) setting.addOption(settingOption(name))
  setting.action(
    act((context, appId: string, actuatorType: ActuatorType, given: Given, command: Command) => {
      const misplaced = Object.keys(given).find((name) => !belongsTo(actuatorType, name))
      if (misplaced !== undefined) command.error(`error: --${kebab(misplaced)} cannot be used with ${actuatorType}`)
      return set(context, appId, actuatorType, given, command)
    }),
  )

  actuator
    .command('remove')
    .description('remove an actuator')
    .argument('<app>')
    .addArgument(type())
    .action(
      act(async (context, appId: string, actuatorType: ActuatorType) => {
        const found = await findApplication(context.store, appId)
        if ('refused' in found) return found
        const changed = await removeActuator(context, found.application.id, actuatorType, byCommand(context))
        return 'refused' in changed ? { refused: NO_SUCH_APPLICATION } : applicationAnswer(changed, context.config)
      }),
    )
}

const asUrl = parsed(httpUrl)

// Uses false because commander would turn null into an empty text.
const gateway = (text: string): string | false => text !== 'off' && asUrl(text)

const belongsTo = (type: ActuatorType, option: string): boolean =>
  [...targetOptions[type], ...settingsOf(type)].some((name) => name === option)

async function set(
  context: CommandContext,
  appId: string,
  type: ActuatorType,
  given: Given,
  command: Command,
): Promise<Answer> {
  const found = await findApplication(context.store, appId)
  if ('refused' in found) return found
  const { store, config } = context
  const of = (names: readonly string[]): Given =>
    Object.fromEntries(names.flatMap((name) => (name in given ? [[name, given[name]]] : [])))
  const { allowPrivateTargets, lanHosts } = config.notifications
  const isBlocked = allowPrivateTargets ? async () => false : (url: string) => isBlockedTarget(url, lanHosts)
  const change = { target: of(targetOptions[type]), settings: of(settingsOf(type)) }
  const changed = await setActuator({ store, isBlocked }, found.application, type, change, byCommand(context))
  if (!('refused' in changed)) return applicationAnswer(changed, config)
  switch (changed.refused) {
    case 'url_missing':
      return command.error(`error: ${type} needs --url`)
    case 'invalid_target': {
      const { issue } = changed
      return { refused: `--${kebab(keyOf(issue.path))} ${issue.message}` }
    }
    case 'private_target':
      return { refused: `${type} must not be at a private, loopback or link-local address; ${REMEDY}` }
    case 'application_not_found':
      return { refused: NO_SUCH_APPLICATION }
    default:
      return changed satisfies never
  }
}

/** Imported only here, because its HTTP client takes longer to load than most commands to run. */
async function isBlockedTarget(url: string, hosts: readonly string[]): Promise<boolean> {
  const guard = await import('../adapters/outbound/http/address-guard.ts')
  const { lanHosts } = await import('../adapters/outbound/http/lan-hosts.ts')
  return guard.isBlockedTarget(url, guard.systemResolve(), lanHosts(hosts))
}

const REMEDY = 'set notifications.lanHosts or notifications.allowPrivateTargets to allow it'
