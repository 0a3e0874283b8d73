import type { Config } from '../config.ts'
import { canCall, noProvider, type TextChannel } from '../core/incident/delivery.ts'
import { namesConcern } from './acme.ts'
import { mailServerOf } from './mail-server.ts'
import { unservedChannels } from './provider-channels.ts'
import { trackingLinkConcern } from './public-address.ts'
import { isThisMachine } from './smtp.ts'

/** Parts of this configuration that will not work although the service starts, one sentence each. */
export const configWarnings = (config: Config): readonly string[] => [
  ...linkWarnings(config),
  ...certificateWarnings(config),
  ...outboxWarnings(config),
  ...unusedWarnings(config),
  ...twilioWarnings(config),
  ...modemWarnings(config),
  ...channelWarnings(config),
  ...backupWarnings(config),
  ...mailWarnings(config),
]

function linkWarnings(config: Config): readonly string[] {
  const concern = trackingLinkConcern(config)
  return concern === null ? [] : [concern]
}

function certificateWarnings(config: Config): readonly string[] {
  const concern = namesConcern(config)
  return concern === null ? [] : [concern]
}

function outboxWarnings({ notifications: { providers } }: Config): readonly string[] {
  if (providers.length === 1 || !providers.includes('outbox')) return []
  return [
    'notifications.providers lists outbox next to another provider: messages that the others do not accept are only written to the outbox, and count as sent',
  ]
}

function backupWarnings({ backup, store }: Config): readonly string[] {
  if (backup.recipient === null || store.url === null) return []
  return [
    'no backup is made: backup.recipient is set, but with store.url the data is in PostgreSQL, which its own tools back up (docs/several-nodes.md#backup-and-recovery)',
  ]
}

/** Providers that are set up but not used. With the outbox alone, nothing is meant to be sent. */
function unusedWarnings({ notifications: { providers }, twilio, gateway, modem }: Config): readonly string[] {
  if (providers.every((provider) => provider === 'outbox')) return []
  const setUp = [
    { provider: 'twilio', key: 'twilio.accountSid', value: twilio.accountSid },
    { provider: 'http', key: 'gateway.url', value: gateway.url },
    { provider: 'modem', key: 'modem.spool', value: modem.spool },
  ] as const
  return setUp
    .filter(({ provider, value }) => value !== null && !providers.includes(provider))
    .map(
      ({ provider, key }) =>
        `${key} is set, but notifications.providers does not list ${provider}: nothing is sent through it`,
    )
}

function twilioWarnings({ notifications, publicUrl, twilio }: Config): readonly string[] {
  if (!notifications.providers.includes('twilio')) return []
  const isLost = receiptsBy({ publicUrl, twilio }) === 'callback' && publicUrl === null
  return [
    ...(canCall(twilio.from)
      ? []
      : ['twilio.from is not a number (+12025550123), so Twilio cannot make calls and only sends SMS']),
    ...(isLost
      ? ['twilio.receipts is callback, but publicUrl is not set, so Twilio may not be able to reach this service']
      : []),
  ]
}

function modemWarnings({ notifications: { providers }, store }: Config): readonly string[] {
  if (!providers.includes('modem') || store.url === null) return []
  return [
    'notifications.providers lists modem, and store.url is set: each node sends through the modem of its own machine, so every node that may send needs one (docs/modem.md)',
  ]
}

/** The concern of a site whose only way out is mail. rules.md#email. */
export const mailOnlyConcern = ({ notifications: { providers }, smtp }: Config): string | null =>
  smtp.url === null || providers.some((provider) => provider !== 'outbox')
    ? null
    : 'mail_only: mail wakes nobody: no provider for SMS and calls is set up, so an alarm leaves this machine by e-mail only; set one up in the console, Settings, Site setup (docs/notifications.md, E-mail)'

function mailWarnings(config: Config): readonly string[] {
  const concern = mailOnlyConcern(config)
  const server = mailServerOf(config)
  const isOpen = server?.login != null && server.security === 'none' && !isThisMachine(server.host)
  return [
    ...(concern === null ? [] : [concern]),
    ...(isOpen ? ['smtp.url says starttls=off: the password and every mail cross the network unencrypted'] : []),
  ]
}

const unserved = {
  sms: 'every SMS fails at once; contacts are only called',
  voice: 'every call fails at once; contacts only get SMS',
} as const satisfies Record<TextChannel, string>

/** The channels that no provider serves, one sentence each. */
const channelWarnings = (config: Config): readonly string[] =>
  unservedChannels(config).map((channel) => {
    const names = config.notifications.providers.join(', ')
    return `${noProvider[channel]} in notifications.providers (${names}): ${unserved[channel]}. Set what a gateway can do in gateway.channels`
  })

/**
 * How the service learns the status of a sent message. By default, Twilio calls back if there is an address to call.
 */
export const receiptsBy = ({ publicUrl, twilio }: Pick<Config, 'publicUrl' | 'twilio'>): 'callback' | 'poll' =>
  twilio.receipts ?? (publicUrl === null ? 'poll' : 'callback')
