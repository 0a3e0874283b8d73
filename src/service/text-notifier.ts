import { type AbleProvider, byChannel } from '../adapters/outbound/gateway/by-channel.ts'
import { createGatewayNotifier } from '../adapters/outbound/gateway/gateway-notifier.ts'
import { createOutboxNotifier } from '../adapters/outbound/outbox/outbox-notifier.ts'
import {
  createTwilioNotifier,
  type TwilioAccount,
  type TwilioNotifier,
} from '../adapters/outbound/twilio/twilio-notifier.ts'
import type { Notifiers } from '../app/sending/notify.ts'
import { watchProvider } from '../app/watch-provider.ts'
import { channelsOf } from '../config/provider-channels.ts'
import { configWarnings, receiptsBy } from '../config/warnings.ts'
import type { Config } from '../config.ts'
import type { TextChannel } from '../core/incident/text-channels.ts'
import { SECOND } from '../core/ingest/event-time.ts'
import type { Clock } from '../ports/clock.ts'
import type { HttpCaller } from '../ports/http-caller.ts'
import type { Log } from '../ports/log.ts'
import type { Meter } from '../ports/meter.ts'
import type { MailStore } from '../ports/store.ts'

export type TextNotifier = Notifiers['text'] & {
  /** How many messages of a channel wait for their turn at a provider. */
  waiting(channel: 'sms' | 'voice'): number
  /** For how long the one that came first has been waiting, in ms. */
  longestWaitMs(channel: 'sms' | 'voice'): number
  /** Ends every connection; what still waits never leaves. */
  close(): Promise<void>
}

/** `notifications.providers` as one notifier, in their order. Throws with a sentence for the operator where one cannot be used. */
export function textNotifier(
  config: Config,
  parts: {
    readonly store: MailStore
    readonly clock: Clock
    readonly log: Log
    readonly meter: Meter
    readonly caller: HttpCaller
    /** Where Twilio reaches this service; known once the listeners are up. */
    readonly publicUrl: () => string
  },
): TextNotifier {
  const { providers } = config.notifications
  let twilio: TwilioNotifier | null = null
  for (const warning of configWarnings(config)) parts.log.warn({}, warning)
  if (providers[0] === 'outbox') {
    parts.log.warn(
      {},
      'NO MESSAGE LEAVES THIS MACHINE: SMS and calls go to the outbox (tocsin outbox list) until a provider is configured',
    )
  }
  const canTake = (channel: TextChannel) => providers.filter((name) => channelsOf(name, config).includes(channel))
  const hasFallback = (channel: TextChannel) => canTake(channel).length > 1
  const notifierOf = (name: (typeof providers)[number]): AbleProvider['notifier'] => {
    switch (name) {
      case 'outbox':
        return createOutboxNotifier(parts)
      case 'http':
        return createGatewayNotifier({ gateway: gatewayOf(config), caller: parts.caller })
      case 'twilio':
        twilio = createTwilioNotifier({ ...parts, account: accountOf(config), hasFallback })
        return twilio
      default:
        return name satisfies never
    }
  }
  const able = providers.map((name): AbleProvider => {
    return { name, channels: channelsOf(name, config), notifier: watchProvider(name, notifierOf(name), parts) }
  })
  return {
    ...byChannel(able, parts.log),
    waiting: (channel) => twilio?.waiting(channel) ?? 0,
    longestWaitMs: (channel) => twilio?.longestWaitMs(channel) ?? 0,
    close: async () => twilio?.close(),
  }
}

function accountOf(config: Config): TwilioAccount {
  const { accountSid, authToken, from, messagingServiceSid, pollSeconds, ...rest } = config.twilio
  if (accountSid === null || authToken === null || (from === null && messagingServiceSid === null)) {
    throw new Error(
      'notifications.providers names twilio, so twilio.accountSid, twilio.authToken, and twilio.from or twilio.messagingServiceSid must be set',
    )
  }
  const { baseUrl, smsPerSecond, callsPerSecond, validitySeconds } = rest
  return {
    accountSid,
    authToken: authToken.reveal(),
    from,
    messagingServiceSid,
    baseUrl,
    receipts: receiptsBy(config),
    pollMs: pollSeconds * SECOND,
    smsPerSecond,
    callsPerSecond,
    validitySeconds,
  }
}

function gatewayOf({ gateway }: Config) {
  if (gateway.url === null) throw new Error('notifications.providers names http, so gateway.url must be set')
  const { url, headers, template } = gateway
  return { url: url.reveal(), headers: headers?.reveal() ?? {}, template: template?.reveal() ?? null }
}
