import type { Item } from '../api/types.ts'

/** For how long after its time the first message may still be on its way. */
const SENDING_MS = 30_000

/**
 * What a new alarm waits for: its first message, in so many seconds, 0 while it is being sent. Null once one has been
 * tried, or where it is overdue: then nobody was reached. `now`: epoch ms.
 */
export function awaitedMessage(
  { urgency, firstMessage }: Pick<Item, 'urgency' | 'firstMessage'>,
  now: number,
): { readonly channel: 'sms' | 'voice' | 'http'; readonly seconds: number } | null {
  if (urgency !== 0 || firstMessage === null) return null
  const { channel, at } = firstMessage
  const ms = Date.parse(at) - now
  if (ms < -SENDING_MS || channel === 'chat' || channel === 'webhook') return null
  return { channel, seconds: Math.max(0, Math.ceil(ms / 1000)) }
}
