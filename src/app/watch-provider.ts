import type { AttemptOutcome } from '../core/incident/command.ts'
import type { Channel } from '../core/incident/delivery.ts'
import { failureKind } from '../core/incident/failure-kind.ts'
import type { CounterLabels, Meter } from '../ports/meter.ts'
import type { Notifier } from '../ports/notifier.ts'

/**
 * `notifier` with every result of a sending counted under the name of its provider. An attempt that several providers were tried for is
 * counted once for each: that a later one took the message must not hide that the first is failing.
 */
export function watchProvider<N extends { readonly channel: Channel }>(
  provider: string,
  notifier: Notifier<N>,
  { meter }: { readonly meter: Pick<Meter, 'count'> },
): Notifier<N> {
  return {
    ...notifier,
    async send(notification, begin) {
      const outcome = await notifier.send(notification, begin)
      const result = resultOf(outcome)
      if (result !== null) {
        meter.count('provider_results_total', { provider, channel: notification.channel, ...result })
      }
      return outcome
    },
  }
}

type Result = Pick<CounterLabels<'provider_results_total'>, 'outcome' | 'error'>

/** Null where nothing was handed over. */
function resultOf(outcome: AttemptOutcome): Result | null {
  switch (outcome.kind) {
    case 'sent':
    case 'delivered':
      return { outcome: outcome.kind, error: 'none' }
    case 'unknown':
      return { outcome: 'unknown', error: outcome.refused === undefined ? 'none' : failureKind(outcome.refused) }
    // Of a sending it says that nobody can find out what became of it.
    case 'not_found':
      return { outcome: 'unknown', error: outcome.error === undefined ? 'none' : failureKind(outcome.error) }
    case 'failed':
      return { outcome: 'failed', error: failureKind(outcome.error) }
    case 'not_wanted':
    case 'no_target':
      return null
    default:
      return outcome satisfies never
  }
}
