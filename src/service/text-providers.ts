import { createGatewayNotifier } from '../adapters/outbound/gateway/gateway-notifier.ts'
import { createOutboxNotifier } from '../adapters/outbound/outbox/outbox-notifier.ts'
import type { TwilioAccount, TwilioNotifier } from '../adapters/outbound/twilio/twilio-notifier.ts'
import { createTextSender, type PacedTextSender } from '../app/sending/text-sender.ts'
import { channelsOf } from '../config/provider-channels.ts'
import { configWarnings, receiptsBy } from '../config/warnings.ts'
import type { Config } from '../config.ts'
import { SECOND } from '../lib/durations.ts'
import type { Clock } from '../ports/clock.ts'
import type { HttpCaller } from '../ports/http-caller.ts'
import type { Log } from '../ports/log.ts'
import type { Meter } from '../ports/meter.ts'
import type { TurnStore } from '../ports/node-store.ts'
import type { Provider } from '../ports/notifier.ts'
import type { MailStore } from '../ports/store.ts'
import { type Modem, modemOf } from './modem.ts'

/** The providers of SMS and calls, as the rest of the service sees them. */
export type TextProviders = Omit<PacedTextSender, 'close'> & {
  /** Null if it is not a provider. */
  readonly modem: Modem | null
  /** Ends every connection; waiting requests are never sent. */
  close(): Promise<void>
}

/**
 * `notifications.providers` as one sender, in their order, with the code of each loaded. Rejects with a sentence for
 * the operator where one cannot be used.
 */
export async function textProviders(
  config: Config,
  needs: {
    readonly store: MailStore & { readonly turns?: TurnStore }
    readonly clock: Clock
    readonly log: Log
    readonly meter: Meter
    readonly caller: HttpCaller
    /** The address at which Twilio reaches this service; known once the listeners are up. */
    readonly publicUrl: () => string
  },
): Promise<TextProviders> {
  const { providers } = config.notifications
  for (const warning of configWarnings(config)) needs.log.warn({}, warning)
  if (providers[0] === 'outbox') {
    needs.log.warn(
      {},
      'NO MESSAGE LEAVES THIS MACHINE: SMS and calls go to the outbox (tocsin outbox list) until a provider is configured',
    )
  }
  let twilio: TwilioNotifier | null = null
  let modem: Modem | null = null
  const providerOf = async (name: (typeof providers)[number]): Promise<Provider> => {
    switch (name) {
      case 'outbox':
        return createOutboxNotifier(needs)
      case 'http':
        return createGatewayNotifier({
          gateway: gatewayOf(config),
          channels: channelsOf(name, config),
          caller: needs.caller,
        })
      case 'twilio': {
        const { createTwilioNotifier } = await import('../adapters/outbound/twilio/twilio-notifier.ts')
        twilio = createTwilioNotifier({ ...needs, account: accountOf(config) })
        return twilio
      }
      case 'modem': {
        modem = modemOf(config, needs)
        return modem.provider
      }
      default:
        return name satisfies never
    }
  }
  const chain = createTextSender(await Promise.all(providers.map(providerOf)), { ...needs, turns: needs.store.turns })
  return {
    ...chain,
    modem,
    async close() {
      chain.close()
      modem?.provider.close()
      await twilio?.close()
    },
  }
}

function accountOf(config: Config): TwilioAccount {
  const { accountSid, authToken, from, messagingServiceSid, pollSeconds, ...rest } = config.twilio
  if (accountSid === null || authToken === null || (from === null && messagingServiceSid === null)) {
    throw new Error(
      'notifications.providers names twilio, so twilio.accountSid, twilio.authToken, and twilio.from or twilio.messagingServiceSid must be set',
    )
  }
  const { baseUrl, smsPerSecond, callsPerSecond, requestsAtOnce, validitySeconds } = rest
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
    requestsAtOnce,
    validitySeconds,
  }
}

function gatewayOf({ gateway }: Config) {
  if (gateway.url === null) throw new Error('notifications.providers names http, so gateway.url must be set')
  const { url, headers, template } = gateway
  return { url: url.reveal(), headers: headers?.reveal() ?? {}, template: template?.reveal() ?? null }
}
