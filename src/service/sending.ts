import { lanHosts } from '../adapters/outbound/http/lan-hosts.ts'
import { createOutboxNotifier } from '../adapters/outbound/outbox/outbox-notifier.ts'
import { createHttpNotifiers } from '../adapters/outbound/webhook/http-notifiers.ts'
import { countryOf } from '../adapters/platform/system/phone-numbers.ts'
import { isOfOpenIncident } from '../app/answers/awaited-answer.ts'
import { Dispatcher } from '../app/sending/dispatcher.ts'
import { drillLanes } from '../app/sending/drill-lanes.ts'
import { watchDestinations, watchProvider } from '../app/sending/metrics.ts'
import { type ProviderHealth, watchHealth } from '../app/sending/provider-health.ts'
import { createSender, type Sender } from '../app/sending/sender.ts'
import { type VerificationCourier, verificationCourier } from '../app/sending/verification-courier.ts'
import type { Config } from '../config.ts'
import type { HttpCaller } from '../ports/http-caller.ts'
import type { OperatorMail } from '../ports/operator-mail.ts'
import type { Addresses } from './addresses.ts'
import type { Closers } from './closers.ts'
import { openMail, operatorMailOf } from './mail.ts'
import { siteNameOf } from './site-name.ts'
import type { Basis } from './storage.ts'
import { type TextProviders, textProviders } from './text-providers.ts'

export type Sending = {
  /** Follows every commit from here on, and sends nothing before its `start`. Stopped with the broker. */
  readonly dispatcher: Dispatcher
  readonly text: TextProviders
  /** Tells the administrators. */
  readonly operatorMail: OperatorMail
  /** Calls the operator's own addresses. */
  readonly caller: HttpCaller
  /** Sends one message now, without any incident. */
  readonly sender: Sender
  readonly health: ProviderHealth
  /** Asks contacts to confirm, from its `start` on. */
  readonly courier: VerificationCourier
}

/** The second stage: everything that sends. Rejects with a sentence for the operator if a provider cannot be used. */
export async function prepareSending(
  config: Config,
  basis: Basis,
  { publicUrl }: Addresses,
  closers: Closers,
): Promise<Sending> {
  const { clock, log, meter, door } = basis
  const { allowPrivateTargets, lanHosts: hosts } = config.notifications
  const http = createHttpNotifiers({ allowPrivateTargets, lan: lanHosts(hosts), clock, log })
  closers.add(() => http.close())
  const text = await textProviders(config, { ...basis, caller: http.caller, publicUrl })
  closers.add(() => text.close())
  if (text.modem !== null) closers.add(await text.modem.watch(isOfOpenIncident(basis.store)))
  const { text: watched, health } = watchHealth(watchDestinations(text, { log, meter, countryOf }))
  const mail = await openMail(config, { ...basis, turns: basis.store.turns })
  if (mail !== null) closers.add(() => mail.close())
  const operators = operatorMailOf(mail?.client ?? null, basis, siteNameOf(config))
  closers.add(() => operators.stop())
  const drills = drillLanes({ ...basis, turns: basis.store.turns })
  closers.add(() => drills.close())
  const sender = createSender({
    text: watched,
    outbox: createOutboxNotifier(basis),
    http: watchProvider('http', http.http, { meter }),
    chat: watchProvider('chat', http.chat, { meter }),
    webhook: watchProvider('webhook', http.webhook, { meter }),
    mail: mail?.sender ?? null,
    drills,
  })
  const dispatcher = new Dispatcher({ ...basis, notifier: sender, publicUrl })
  door.follow(({ incidentId, nextActionAt }) => {
    if (incidentId !== null) dispatcher.changed(incidentId, nextActionAt)
  })
  const courier = verificationCourier({
    store: basis.store,
    clock,
    log,
    meter,
    waiting: () => text.waiting('sms'),
    send: (message) => sender.send(message),
    publicUrl,
  })
  return { dispatcher, text, operatorMail: operators.mail, caller: http.caller, sender, health, courier }
}
