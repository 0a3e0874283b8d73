import { type Command, Option } from 'commander'
import { z } from 'zod'
import { lanHosts } from '../adapters/outbound/http/lan-hosts.ts'
import { createOutboxNotifier } from '../adapters/outbound/outbox/outbox-notifier.ts'
import { createHttpNotifiers } from '../adapters/outbound/webhook/http-notifiers.ts'
import { createSystemClock } from '../adapters/platform/system/clock.ts'
import { needsNumber, noteTest, type TestGiven, testNotification } from '../app/operator/test-message.ts'
import { createSender } from '../app/sending/sender.ts'
import { configWarnings } from '../config/warnings.ts'
import type { Application } from '../core/account/application.ts'
import { languageField } from '../core/account/contact-schema.ts'
import { emailField, phoneField } from '../core/account/profile-schema.ts'
import type { AttemptOutcome } from '../core/incident/command.ts'
import type { Channel } from '../core/incident/delivery.ts'
import type { Log } from '../ports/log.ts'
import type { Notification, TextNotification } from '../ports/notifier.ts'
import { openMail } from '../service/mail.ts'
import { textProviders } from '../service/text-providers.ts'
import type { Answer } from './answer.ts'
import { type Act, byCommand, type CommandContext, findApplication } from './command-context.ts'
import { parsed } from './parsed.ts'

const channels: readonly Channel[] = ['sms', 'voice', 'chat', 'webhook', 'http', 'email']

const recipient = z.union([phoneField, emailField], 'must be an E.164 number such as +4366012345678, or an address')

const UNSURE = 'no response came back, so it is not known whether it was sent'

/** `tocsin notify …`: tests the way to a phone or an integration without an alarm. */
export function addNotifyCommands(program: Command, act: Act): void {
  program
    .command('notify')
    .description('test how a phone or an integration is reached')
    .command('test <app>')
    .description('send a message that says it is a test, and show which provider accepted it')
    .option('--to <to>', 'sms, voice, http: the number to notify (E.164); email: the address', parsed(recipient))
    .addOption(new Option('--channel <channel>', 'channel to test').choices(channels).default('sms'))
    .option('--language <tag>', "BCP 47 (default: the application's)", parsed(languageField))
    .action(
      act(async (context, appId: string, given: TestGiven, command: Command) => {
        const needsPhone = needsNumber(given.channel)
        if (needsPhone && given.to === undefined) command.error(`error: ${given.channel} needs --to`)
        if (!needsPhone && given.to !== undefined) command.error(`error: --to cannot be used with ${given.channel}`)
        if (given.to !== undefined && (given.channel === 'email') !== given.to.includes('@')) {
          command.error(`error: --to must be ${given.channel === 'email' ? 'an e-mail address' : 'a number'}`)
        }
        const found = await findApplication(context.store, appId)
        return 'refused' in found ? found : tryOut(context, found.application, given)
      }),
    )
}

async function tryOut(context: CommandContext, application: Application, given: TestGiven): Promise<Answer> {
  const { now, ids, config } = context
  const notification = testNotification(application, given, { now, ids, defaults: config.notifications.defaults })
  if ('refused' in notification && notification.refused === 'phone_not_allowed') {
    return { refused: `the application may send to ${application.allowedPrefixes.join(', ')} only` }
  }
  if ('refused' in notification) {
    const flags = targetFlags[given.channel]
    return { refused: `the application has no such target; add it with: tocsin app actuator set APP ${flags} URL` }
  }
  if (given.channel === 'email' && config.smtp.url === null) {
    return { refused: 'no mail server is set up; set smtp.url and smtp.from' }
  }
  const tried: { readonly provider: unknown; readonly error: unknown }[] = []
  const outcome = await sent(context, notification, (provider, error) => tried.push({ provider, error }))
  await noteTest(context.store, outcome, application, given.channel, byCommand(context))
  const isText = notification.channel === 'sms' || notification.channel === 'voice'
  const warnings = isText ? configWarnings(config) : []
  return answerOf(outcome, notification, { tried, warnings })
}

/** Sends a text outside any incident, and waits for its outcome. */
export const sentAlone = (context: CommandContext, text: TextNotification): Promise<AttemptOutcome> =>
  sent(context, text, () => {})

/**
 * Sends through the configured notifiers, built as the service builds them. `onFailure`: called for each provider that
 * did not accept the message.
 */
async function sent(
  { store, config }: CommandContext,
  notification: Notification,
  onFailure: (provider: unknown, error: unknown) => void,
): Promise<AttemptOutcome> {
  const clock = createSystemClock()
  const log: Log = {
    info() {},
    // The log is the only place where a provider chain reports who failed before another provider took the message.
    warn: ({ provider, error }) => void (provider !== undefined && error !== undefined && onFailure(provider, error)),
    error() {},
  }
  const meter = { count() {}, observe() {} }
  const { allowPrivateTargets, lanHosts: hosts } = config.notifications
  const http = createHttpNotifiers({ allowPrivateTargets, lan: lanHosts(hosts), clock, log })
  try {
    const publicUrl = () => config.publicUrl ?? ''
    const mail = await openMail(config, { clock, log, meter, guard: http.guard })
    const { caller, guardedCaller } = http
    const text = await textProviders(config, { store, clock, log, meter, caller, guardedCaller, publicUrl })
    try {
      return await createSender({
        ...http,
        text,
        mail: () => mail?.sender ?? null,
        outbox: createOutboxNotifier({ store, clock, log }),
      }).send(notification)
    } finally {
      mail?.close()
      await text.close()
    }
  } finally {
    await http.close()
    clock.stop()
  }
}

/** The command that gives the application a target for the channel. */
const targetFlags: { readonly [C in Channel]?: string } = {
  http: 'emergency_contacts --http-url',
  chat: 'chat --url',
  webhook: 'webhook --url',
}

function answerOf(
  outcome: AttemptOutcome,
  { channel }: Notification,
  {
    tried,
    warnings,
  }: {
    /** Reasons why an alarm would fail although the test succeeded. */
    readonly warnings: readonly string[]
    readonly tried: readonly { readonly provider: unknown; readonly error: unknown }[]
  },
): Answer {
  const refusals = tried.map(({ provider, error }) => `${provider} did not accept it: ${error}`)
  switch (outcome.kind) {
    case 'sent':
    case 'delivered': {
      const { kind: status, provider, providerRef } = outcome
      const lines = [
        `${channel}: ${provider} accepted it (${status})${providerRef === null ? '' : `, as ${providerRef}`}`,
        ...refusals,
        ...warnings.map((warning) => `warning: ${warning}`),
        ...(provider === 'outbox' ? ['Nothing left this machine. Read the message with: tocsin outbox list'] : []),
      ]
      return { json: { channel, provider, providerRef, status, tried }, text: lines.join('\n') }
    }
    case 'failed': {
      const { error } = outcome
      const told = refusals.length > 0 ? refusals.join('; ') : error
      return { refused: told, json: { channel, provider: null, providerRef: null, status: 'failed', error, tried } }
    }
    case 'unknown':
    case 'not_found':
    case 'no_target': {
      const why = 'refused' in outcome ? outcome.refused : 'error' in outcome ? outcome.error : undefined
      const error = why === undefined ? UNSURE : `${why}; it is not known whether it was sent`
      return { refused: error, json: { channel, provider: null, providerRef: null, status: 'unknown', error, tried } }
    }
    default:
      return outcome satisfies never
  }
}
