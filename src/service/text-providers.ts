import { createGatewayNotifier } from '../adapters/outbound/gateway/gateway-notifier.ts'
import { createOutboxNotifier } from '../adapters/outbound/outbox/outbox-notifier.ts'
import type { TwilioAccount } from '../adapters/outbound/twilio/twilio-notifier.ts'
import { afterOthers } from '../app/sending/former-provider.ts'
import { createTextSender, type PacedTextSender } from '../app/sending/text-sender.ts'
import { channelsOf } from '../config/provider-channels.ts'
import { writtenIn } from '../config/settings.ts'
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

type ProviderName = Config['notifications']['providers'][number]

export type ProviderNeeds = {
  readonly store: MailStore & { readonly turns?: TurnStore }
  readonly clock: Clock
  readonly log: Log
  readonly meter: Meter
  readonly caller: HttpCaller
  /** Refuses addresses that are not public, apart from `notifications.lanHosts`. */
  readonly guardedCaller: HttpCaller
  /** The address at which Twilio reaches this service; known once the listeners are up. */
  readonly publicUrl: () => string
}

/** One provider, ready to send. */
type ReadyProvider = {
  readonly provider: Provider
  readonly modem: Modem | null
  close(): Promise<void>
}

/** A provider with its code loaded. Rejects with a sentence for the operator where it cannot be used. */
export async function readyProvider(name: ProviderName, config: Config, needs: ProviderNeeds): Promise<ReadyProvider> {
  const ready = (provider: Provider) => ({ provider, modem: null, close: async () => {} })
  switch (name) {
    case 'outbox':
      return ready(createOutboxNotifier(needs))
    case 'http': {
      const channels = channelsOf(name, config)
      // Only someone who may write the file of this machine may lead it to its own and its neighbours' addresses.
      const caller = writtenIn(config, 'gateway.url') === null ? needs.guardedCaller : needs.caller
      return ready(createGatewayNotifier({ gateway: gatewayOf(config), channels, caller }))
    }
    case 'twilio': {
      const { createTwilioNotifier } = await import('../adapters/outbound/twilio/twilio-notifier.ts')
      const provider = createTwilioNotifier({ ...needs, account: accountOf(config) })
      return { provider, modem: null, close: () => provider.close() }
    }
    case 'modem': {
      const modem = modemOf(config, needs)
      return { provider: modem.provider, modem, close: async () => modem.provider.close() }
    }
    default:
      return name satisfies never
  }
}

/**
 * `notifications.providers` as one sender, in their order, with the code of each loaded. Rejects with a sentence for
 * the operator where one cannot be used. `isHeld`: as in `createTextSender`. `changedAt`: as in `afterOthers`.
 */
export async function textProviders(
  config: Config,
  needs: ProviderNeeds & { readonly isHeld?: boolean; readonly changedAt?: number | null },
): Promise<TextProviders> {
  const { providers } = config.notifications
  for (const warning of configWarnings(config)) needs.log.warn({}, warning)
  if (providers[0] === 'outbox') {
    needs.log.warn(
      {},
      'NO MESSAGE LEAVES THIS MACHINE: SMS and calls go to the outbox (tocsin outbox list) until a provider is configured',
    )
  }
  const ready = await Promise.all(providers.map((name) => readyProvider(name, config, needs)))
  const chain = createTextSender(
    ready.map(({ provider }) => afterOthers(provider, needs.changedAt ?? null)),
    { ...needs, turns: needs.store.turns },
  )
  return {
    ...chain,
    modem: ready.find(({ modem }) => modem !== null)?.modem ?? null,
    async close() {
      chain.close()
      await Promise.all(ready.map(({ close }) => close()))
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
