import { lanHosts } from '../adapters/outbound/http/lan-hosts.ts'
import { createOutboxNotifier } from '../adapters/outbound/outbox/outbox-notifier.ts'
import { createHttpNotifiers, type HttpNotifiers } from '../adapters/outbound/webhook/http-notifiers.ts'
import { countryOf, isOfCountry } from '../adapters/platform/system/phone-numbers.ts'
import { isOfOpenIncident } from '../app/answers/awaited-answer.ts'
import { refusedCall } from '../app/sending/calls-abroad.ts'
import { Dispatcher } from '../app/sending/dispatcher.ts'
import { drillLanes } from '../app/sending/drill-lanes.ts'
import { watchDestinations, watchProvider } from '../app/sending/metrics.ts'
import { noMailServer } from '../app/sending/no-mail-server.ts'
import { type ProviderHealth, watchHealth } from '../app/sending/provider-health.ts'
import { createSender, type Sender } from '../app/sending/sender.ts'
import { type VerificationCourier, verificationCourier } from '../app/sending/verification-courier.ts'
import { planSettings } from '../config/mail-server.ts'
import type { Config } from '../config.ts'
import { lastChangeOfProviders } from '../core/operator/site-setting.ts'
import type { HttpCaller } from '../ports/http-caller.ts'
import type { OperatorMail } from '../ports/operator-mail.ts'
import type { Addresses } from './addresses.ts'
import type { Closers } from './closers.ts'
import { heldMail, type LiveMail, liveMail, type SiteMail } from './live-mail.ts'
import { type LiveText, liveText } from './live-text.ts'
import { openMail, operatorMailOf } from './mail.ts'
import { siteNameOf } from './site-name.ts'
import type { Basis } from './storage.ts'
import { type ProviderNeeds, textProviders } from './text-providers.ts'

export type Sending = {
  /** Follows every commit from here on, and sends nothing before its `start`. Stopped with the broker. */
  readonly dispatcher: Dispatcher
  readonly text: LiveText
  /** To try a provider that is not in use. */
  readonly providerNeeds: ProviderNeeds
  /** As of `HttpNotifiers`. */
  readonly guard: HttpNotifiers['guard']
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
  const { site } = basis
  const { allowPrivateTargets } = config.notifications
  let lan = lanHosts(config.notifications.lanHosts)
  const http = createHttpNotifiers({ allowPrivateTargets, lan: (address, host) => lan(address, host), clock, log })
  site.follow(['notifications.lanHosts'], ({ notifications }) => {
    lan = lanHosts(notifications.lanHosts)
    http.renewGuarded()
  })
  closers.add(() => http.close())
  const providerNeeds = { ...basis, caller: http.caller, guardedCaller: http.guardedCaller, publicUrl }
  const make = async (now: Config) => {
    const isHeld = site.effective.lame.length > 0
    const changedAt = lastChangeOfProviders(await basis.store.settingChanges())
    return textProviders(now, { ...providerNeeds, isHeld, changedAt })
  }
  const text = await liveText(config, make, { log })
  closers.add(() => text.close())
  // The address decides how Twilio reports.
  const ofText = ['notifications.providers', 'twilio', 'gateway', 'modem', 'publicUrl']
  site.follow(ofText, (now) => text.replace(now))
  await text.withModem((modem) => modem.watch(isOfOpenIncident(basis.store)))
  const { text: watched, health } = watchHealth(watchDestinations(text, { log, meter, countryOf }))
  const mail = await followMail(basis, http)
  const operators = operatorMailOf(mail, basis, () => siteNameOf(site.now))
  closers.add(() => {
    const stopped = operators.stop()
    // Or a mail to an operator that is under way would hold up the stop.
    mail.close()
    return stopped
  })
  const noMail = noMailServer(clock)
  closers.add(() => noMail.close())
  const drills = drillLanes({ ...basis, turns: basis.store.turns })
  closers.add(() => drills.close())
  const sender = createSender({
    text: {
      get inTurn() {
        return text.inTurn
      },
      get laneFor() {
        return text.laneFor
      },
      send: watched.send,
      lookUp: watched.lookUp,
    },
    outbox: createOutboxNotifier(basis),
    http: watchProvider('http', http.http, { meter }),
    chat: watchProvider('chat', http.chat, { meter }),
    webhook: watchProvider('webhook', http.webhook, { meter }),
    mail: () => mail.sender ?? noMail,
    drills,
    refused: (call) => refusedCall(call, { store: basis.store, isOfCountry }),
  })
  const dispatcher = new Dispatcher({ ...basis, notifier: sender, publicUrl })
  text.onReplaced(() => dispatcher.providersChanged())
  mail.onReplaced(() => dispatcher.providersChanged())
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
  const { caller, guard } = http
  return { dispatcher, text, providerNeeds, operatorMail: operators.mail, caller, guard, sender, health, courier }
}

/** The mail server, which follows `smtp`. Contacts are planned to get mails while there is one. */
async function followMail(basis: Basis, { guard }: Pick<HttpNotifiers, 'guard'>): Promise<LiveMail> {
  const { clock, site, store } = basis
  const mailNow = async (): Promise<SiteMail | null> =>
    site.unreadableHere('smtp.url') ? heldMail(clock) : openMail(site.now, { ...basis, turns: store.turns, guard })
  const plan = (mail: SiteMail | null) => store.planWith(planSettings(site.now, mail !== null))
  const first = await mailNow()
  if (first !== null && site.base.smtp.url === null) await plan(first)
  const live = liveMail(first, { clock })
  site.follow(['smtp'], async () => {
    const next = await mailNow()
    // No mail is planned that nothing sends.
    if (next === null) await plan(next)
    live.replace(next)
    if (next !== null) await plan(next)
  })
  return live
}
