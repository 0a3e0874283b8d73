import { one, type Resource, type TwilioStandIn } from '../../test/harness/twilio-stand-in.ts'
import { LATE_MESSAGE_MS } from '../row.ts'
import type { Alert } from './ledger.ts'

export type MessageFigures = {
  /** Texts and calls owed to a contact but never sent. */
  readonly missing: number
  readonly late: number
  /** Beyond the one text and the one call. */
  readonly doubled: number
  /** Texts sent within the grace window. */
  readonly early: number
  readonly sent: number
}

/** How far the machine's clock and the stand-in's may differ. */
const TOLERANCE_MS = 500

const isAlarm = ({ params }: Resource): boolean => !/^(All clear|OK)\b/i.test(one(params, 'Body'))

/**
 * What the contacts of these alerts received. Each is owed one text after `graceMs` and one call after that. `calls`:
 * whether calls are owed.
 */
export function messagesOf(
  twilio: TwilioStandIn,
  alerts: readonly Alert[],
  graceMs: number,
  calls = true,
): MessageFigures {
  const figures = { missing: 0, late: 0, doubled: 0, early: 0, sent: 0 }
  for (const { contacts, pressedAt } of alerts) {
    for (const { phone } of contacts) {
      const texts = twilio.smsTo(phone).filter(isAlarm)
      const rings = calls ? twilio.callsTo(phone) : []
      for (const got of calls ? [texts, rings] : [texts]) {
        if (got.length === 0) figures.missing += 1
        figures.doubled += Math.max(0, got.length - 1)
        figures.sent += got.length
      }
      const [first] = texts
      if (first === undefined) continue
      if (first.createdAt - pressedAt > graceMs + LATE_MESSAGE_MS) figures.late += 1
      if (first.createdAt - pressedAt < graceMs - TOLERANCE_MS) figures.early += 1
    }
  }
  return figures
}
