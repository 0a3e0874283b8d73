import { randomInt, randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { type AnswerCodes, answerCodes } from '../adapters/outbound/modem/answer-codes.ts'
import { createModemNotifier, type ModemNotifier } from '../adapters/outbound/modem/modem-notifier.ts'
import { ModemState } from '../adapters/outbound/modem/modem-state.ts'
import { askDaemon, watchModem } from '../adapters/outbound/modem/modem-watch.ts'
import { type Spool, spoolAt } from '../adapters/outbound/modem/spool.ts'
import type { Config } from '../config.ts'
import { SECOND } from '../lib/durations.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'

/** Replies that wait for the daemon; more of them would only cost money and time. */
const MAX_REPLIES_WAITING = 20

/** The GSM modem of this machine. */
export type Modem = {
  readonly provider: ModemNotifier
  readonly spool: Spool
  readonly state: ModemState
  readonly codes: AnswerCodes
  /** Sends a reply to an answer, behind every alarm, or not at all. Never rejects. */
  reply(to: string, text: string): Promise<void>
  /**
   * Begins to check whether texts can leave. Resolves after the first check, with a function that ends it. `isAwaited`:
   * whether an attempt's text may still be answered; never rejects.
   */
  watch(isAwaited: (attemptId: string) => Promise<boolean>): Promise<() => void>
}

/** Rejects with a sentence for the operator without its spool. A spool that is missing now may be mounted later. */
export function modemOf(
  { modem, node }: Pick<Config, 'modem' | 'node'>,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Modem {
  if (modem.spool === null) throw new Error('notifications.providers names modem, so modem.spool must be set')
  const spool = spoolAt(modem.spool)
  const state = new ModemState()
  const codes = answerCodes(spool, randomInt)
  const provider = createModemNotifier({
    spool,
    state,
    codes: modem.answers ? codes : null,
    patienceMs: modem.timeoutSeconds * SECOND,
    perSecond: modem.smsPerMinute / 60,
    account: node.id ?? hostname(),
    log,
    monotonicMs: () => performance.now(),
    pause: (ms) => pause(ms),
  })
  const asked = modem.smsdConfig === null ? null : askDaemon(modem.smsdConfig, log)
  return {
    provider,
    spool,
    state,
    codes,
    async reply(to, content) {
      try {
        const waiting = (await spool.list('outbox')).filter(({ precedence }) => precedence === 'D')
        if (waiting.length >= MAX_REPLIES_WAITING) return
        const text = {
          precedence: 'D',
          claimedAt: clock.now(),
          to,
          attemptId: `reply-${randomUUID()}`,
          code: null,
        } as const
        await spool.put(text, content)
      } catch (error) {
        log.warn({ err: error }, 'could not reply to an SMS')
      }
    },
    watch: (isAwaited) =>
      watchModem({ spool, state, report: asked === null ? null : () => asked(), isAwaited, clock, log }),
  }
}
