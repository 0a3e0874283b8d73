import { createGatewayNotifier } from '../adapters/gateway/gateway-notifier.ts'
import { createProviderChain, type Provider } from '../adapters/gateway/provider-chain.ts'
import { createOutboxNotifier } from '../adapters/outbox/outbox-notifier.ts'
import type { Notifiers } from '../app/notify.ts'
import type { Config } from '../config.ts'
import type { Clock } from '../ports/clock.ts'
import type { HttpCaller } from '../ports/http-caller.ts'
import type { Log } from '../ports/log.ts'
import type { MailStore } from '../ports/store.ts'

/** `notifications.providers` as one notifier, in their order. Throws with a sentence for the operator where one cannot be used. */
export function textNotifier(
  config: Config,
  parts: { readonly store: MailStore; readonly clock: Clock; readonly log: Log; readonly caller: HttpCaller },
): Notifiers['text'] {
  const { providers } = config.notifications
  if (providers[0] === 'outbox') {
    parts.log.warn(
      {},
      'NO MESSAGE LEAVES THIS MACHINE: SMS and calls go to the outbox (tocsin outbox list) until a provider is configured',
    )
  }
  const chain = providers.map((name): Provider => {
    switch (name) {
      case 'outbox':
        return { name, notifier: createOutboxNotifier(parts) }
      case 'http':
        return { name, notifier: createGatewayNotifier({ gateway: gatewayOf(config), caller: parts.caller }) }
      case 'twilio':
        throw new Error(
          'notifications.providers names twilio, which this version does not speak yet; use http or outbox',
        )
      default:
        return name satisfies never
    }
  })
  return chain.length === 1 ? chain[0]!.notifier : createProviderChain(chain, parts.log)
}

function gatewayOf({ gateway }: Config) {
  if (gateway.url === null) throw new Error('notifications.providers names http, so gateway.url has to be set')
  const { url, headers, template } = gateway
  return { url: url.reveal(), headers: headers?.reveal() ?? {}, template: template?.reveal() ?? null }
}
