import { MINUTE } from '../../lib/durations.ts'
import type { Clock } from '../../ports/clock.ts'
import { Lane } from './lane.ts'
import { type MailWay, NO_MAIL } from './sender.ts'

/** A mail is left to the other nodes until it has been due for so long. Settings of the console are read sooner. */
const LEFT_MS = 2 * MINUTE

/**
 * In place of a mail server on a node that knows none, which may be news that it has not read yet. Whether the site
 * sends mails is decided where they are planned, so a mail is left to nodes that know the server, or for later. One
 * that nobody takes fails for now, so that its failure shows.
 */
export function noMailServer(clock: Clock): MailWay & { close(): void } {
  let isIdle = true
  const lane = new Lane({
    rate: { perSecond: 1, maxAtOnce: 100 },
    account: {
      ask({ first }, answer) {
        const leftMs = first === null ? 0 : first.since + LEFT_MS - clock.now()
        const granted = first !== null && leftMs <= 0 ? 1 : 0
        answer({ granted, askAgainMs: Math.max(1, leftMs), nextInMs: 0, pausedMs: 0 })
      },
    },
    clock,
    hasFallback: false,
    onTurn() {},
    onLongWait() {},
  })
  return {
    lane,
    get isIdle() {
      return isIdle
    },
    send(mail) {
      isIdle = false
      return NO_MAIL.send(mail)
    },
    lookUp(mail) {
      isIdle = false
      return NO_MAIL.lookUp(mail)
    },
    close: () => lane.close(),
  }
}
