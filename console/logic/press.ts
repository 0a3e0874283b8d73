import type { Item } from '../api/types.ts'

/** The first message may be on its way for this long after it was due. */
const SENDING_MS = 30_000

/**
 * The first message of a new alarm: its channel, and the seconds until it is sent, 0 while it is being sent. Null once
 * one has been tried, and if it is overdue: then nobody was reached. `now`: epoch ms.
 */
export function awaitedMessage(
  { urgency, firstMessage }: Pick<Item, 'urgency' | 'firstMessage'>,
  now: number,
): { readonly channel: 'sms' | 'voice' | 'http'; readonly seconds: number } | null {
  if (urgency !== 0 || firstMessage === null) return null
  const { channel, at } = firstMessage
  const ms = Date.parse(at) - now
  if (ms < -SENDING_MS || channel === 'chat' || channel === 'webhook' || channel === 'email') return null
  return { channel, seconds: Math.max(0, Math.ceil(ms / 1000)) }
}
