import type { AttemptOutcome } from '../../core/incident/command.ts'
import type { Channel } from '../../core/incident/delivery.ts'
import { failureKind } from '../../core/incident/failure-kind.ts'
import type { Log } from '../../ports/log.ts'
import type { CounterLabels, Meter } from '../../ports/meter.ts'
import type { Notifier } from '../../ports/notifier.ts'
import type { TextSender } from './sender.ts'

type Counting = Pick<Meter, 'count'>

/**
 * Counts the result of handing a message to a provider. An attempt that went through several providers counts once for
 * each: a later success must not hide that the first provider is failing.
 */
export function countResult(
  meter: Counting,
  by: { readonly provider: string; readonly channel: Channel },
  outcome: AttemptOutcome,
): void {
  const result = resultOf(outcome)
  if (result !== null) meter.count('provider_results_total', { ...by, ...result })
}

/** `notifier`, with every send result counted under the provider's name. */
export const watchProvider = <N extends { readonly channel: Channel }>(
  provider: string,
  notifier: Notifier<N>,
  { meter }: { readonly meter: Counting },
): Notifier<N> => ({
  async send(notification) {
    const outcome = await notifier.send(notification)
    countResult(meter, { provider, channel: notification.channel }, outcome)
    return outcome
  },
  lookUp: (notification) => notifier.lookUp(notification),
})

type SendAndLookUp = Pick<TextSender, 'send' | 'lookUp'>

/**
 * `text`, with its destinations watched. Messages that a provider took are counted by channel and country, so that
 * misuse shows before the bill does. A number outside the application's country prefixes causes a warning but is sent
 * all the same: nothing holds back an alarm. `countryOf`: of an E.164 number.
 */
export function watchDestinations<T extends SendAndLookUp>(
  text: T,
  {
    log,
    meter,
    countryOf,
  }: { readonly log: Log; readonly meter: Counting; readonly countryOf: (phone: string) => string },
): Omit<T, keyof SendAndLookUp> & SendAndLookUp {
  const counted = ({ channel, to, drill }: Parameters<TextSender['send']>[0], outcome: AttemptOutcome) => {
    if (drill !== undefined) return outcome
    if (outcome.kind === 'sent' || outcome.kind === 'delivered') {
      meter.count('messages_total', { channel, country: countryOf(to) })
    }
    return outcome
  }
  const watched: SendAndLookUp = {
    async send(notification, turn) {
      const { channel, to, incidentId, attemptId, outsidePrefixes } = notification
      if (outsidePrefixes) {
        const about = { incidentId, attemptId, channel, country: countryOf(to) }
        log.warn(about, "a contact's number is outside the allowed country prefixes; the message is sent anyway")
      }
      return counted(notification, await text.send(notification, turn))
    },
    async lookUp(notification) {
      const outcome = await text.lookUp(notification)
      // A message with a known provider was counted when that provider took it.
      return notification.provider === null ? counted(notification, outcome) : outcome
    },
  }
  return { ...text, ...watched }
}

type ProviderResult = Pick<CounterLabels<'provider_results_total'>, 'outcome' | 'error'>

/** Null if nothing was handed over. */
function resultOf(outcome: AttemptOutcome): ProviderResult | null {
  switch (outcome.kind) {
    case 'sent':
    case 'delivered':
      return { outcome: outcome.kind, error: 'none' }
    case 'unknown':
      return { outcome: 'unknown', error: outcome.refused === undefined ? 'none' : failureKind(outcome.refused) }
    // After a send, this means that its status is unknown.
    case 'not_found':
      return { outcome: 'unknown', error: outcome.error === undefined ? 'none' : failureKind(outcome.error) }
    case 'failed':
      return { outcome: 'failed', error: failureKind(outcome.error) }
    case 'no_target':
      return null
    default:
      return outcome satisfies never
  }
}
