import type { Config } from '../config.ts'
import { canCall, type TextChannel, textChannels } from '../core/incident/delivery.ts'

type Provider = Config['notifications']['providers'][number]

const TEXTS_ONLY: readonly TextChannel[] = ['sms']

/** The channels that a provider can serve as configured. rules.md#providers. */
export function channelsOf(provider: Provider, { gateway, twilio }: Pick<Config, 'gateway' | 'twilio'>) {
  switch (provider) {
    case 'outbox':
      return textChannels
    case 'twilio':
      return canCall(twilio.from) ? textChannels : TEXTS_ONLY
    case 'http':
      return gateway.channels ?? (tellsChannels(gateway) ? textChannels : TEXTS_ONLY)
    case 'modem':
      return TEXTS_ONLY
    default:
      return provider satisfies never
  }
}

/**
 * Whether a request to the gateway says which channel it is for, as the built-in body does. Otherwise a call would
 * arrive as one more text.
 */
function tellsChannels({ url, headers, template }: Config['gateway']): boolean {
  const written = [url?.reveal(), template?.reveal(), ...Object.values(headers?.reveal() ?? {})]
  return template === null || written.some((part) => part?.includes('{channel}'))
}

/** The configuration's part in readiness: whether messages stay here, and which channels are served. */
export const siteFactsOf = (config: Config) => ({
  keepsMessages: config.notifications.providers[0] === 'outbox',
  ...(config.smtp.url !== null && { sendsMail: true }),
  channels: textChannels.filter((channel) => !unservedChannels(config).includes(channel)),
})

/** Channels without a configured provider: every attempt on them fails immediately. */
export const unservedChannels = (config: Config): readonly TextChannel[] =>
  textChannels.filter(
    (channel) => !config.notifications.providers.some((provider) => channelsOf(provider, config).includes(channel)),
  )
