import type { AttemptOutcome } from '../../core/incident/command.ts'
import type { TextNotification } from '../../ports/notifier.ts'

/** So many messages in a row that no provider took are no coincidence. */
const MANY = 3

/** Whether SMS and calls leave at all, as far as the last ones tell. */
export type ProviderHealth = { isFailing(): boolean }

/** `text`, with the outcome of each message watched. A number that does not exist says nothing about the providers. */
export function watchHealth<T extends { send(text: TextNotification, ...more: never[]): Promise<AttemptOutcome> }>(
  text: T,
): { readonly text: T; readonly health: ProviderHealth } {
  let failedInARow = 0
  return {
    text: {
      ...text,
      async send(...given: Parameters<T['send']>) {
        const outcome = await text.send(...(given as unknown as [TextNotification]))
        if (outcome.kind === 'failed' && outcome.retryable) failedInARow += 1
        else if (outcome.kind === 'sent' || outcome.kind === 'delivered') failedInARow = 0
        return outcome
      },
    },
    health: { isFailing: () => failedInARow >= MANY },
  }
}
