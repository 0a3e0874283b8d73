import type { TextSender } from './sender.ts'

/** This many failed messages in a row are no coincidence. */
const MANY = 3

/** Whether SMS and calls leave at all, judging by the last ones. */
export type ProviderHealth = { isFailing(): boolean }

type Sends = Pick<TextSender, 'send'>

/** `text`, with the outcome of each message watched. A nonexistent number says nothing about the providers. */
export function watchHealth<T extends Sends>(
  text: T,
): { readonly text: Omit<T, keyof Sends> & Sends; readonly health: ProviderHealth } {
  let failedInARow = 0
  const watched: Sends = {
    async send(message, turn) {
      const outcome = await text.send(message, turn)
      if (outcome.kind === 'failed' && outcome.retryable) failedInARow += 1
      else if (outcome.kind === 'sent' || outcome.kind === 'delivered') failedInARow = 0
      return outcome
    },
  }
  return { text: { ...text, ...watched }, health: { isFailing: () => failedInARow >= MANY } }
}
