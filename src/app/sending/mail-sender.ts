import { failureKind } from '../../core/incident/failure-kind.ts'
import type { Rate } from '../../core/pacing/account.ts'
import { SECOND } from '../../lib/durations.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { Meter } from '../../ports/meter.ts'
import type { TurnStore } from '../../ports/node-store.ts'
import type { MailNotification, Notifier } from '../../ports/notifier.ts'
import { Lane, type Turn } from './lane.ts'
import { countResult } from './metrics.ts'
import type { MailWay } from './sender.ts'
import { NO_TURN } from './text-sender.ts'
import { sharedAccount } from './turn-source.ts'

/** Servers lock an account after a few wrong passwords. */
const LOGIN_PAUSE_MS = 60 * SECOND
/** So that a server that is down costs one connection at a time, not one for every mail that waits. */
const PAUSE_MS = 5 * SECOND
/** After tests and reminders of texts, which share no lane with mails. */
const LONE_RANK = 2

export type MailSender = MailWay & {
  /** Mails that still wait will never leave. */
  close(): void
}

/** The mail server behind a lane of its own. `turns`: the account that several nodes share. */
export function mailSender(
  notifier: Notifier<MailNotification>,
  {
    rate,
    turns,
    clock,
    log,
    meter,
  }: {
    readonly rate: Rate
    readonly turns?: TurnStore | undefined
    readonly clock: Clock
    readonly log: Log
    readonly meter: Pick<Meter, 'count' | 'observe'>
  },
): MailSender {
  const lane = new Lane({
    rate,
    clock,
    hasFallback: false,
    onTurn: (waitedMs) => meter.observe('queue_wait_seconds', waitedMs / SECOND, { channel: 'email' }),
    onLongWait: (waitMs, waiting) =>
      log.warn(
        { channel: 'email', waitSeconds: Math.round(waitMs / SECOND), waiting },
        'mails wait longer to be sent than contacts have to acknowledge; look at the mail server, or raise smtp.perSecond',
      ),
    ...(turns && { account: sharedAccount('email', { store: turns, clock, log }) }),
  })
  const inLane = async (mail: MailNotification, turn: Turn): ReturnType<MailSender['send']> => {
    try {
      turn.spend(1)
      const outcome = await notifier.send(mail)
      countResult(meter, { provider: 'smtp', channel: 'email' }, outcome)
      if (outcome.kind === 'failed') {
        const kind = failureKind(outcome.error)
        if (outcome.error === 'login refused') lane.pause(LOGIN_PAUSE_MS)
        else if (outcome.retryable && kind !== 'smtp_4xx' && kind !== 'smtp_5xx') lane.pause(PAUSE_MS)
      }
      return outcome
    } finally {
      turn.end()
    }
  }
  return {
    lane,
    async send(mail, turn = null) {
      if (turn?.lane === lane) return inLane(mail, turn)
      const { claimedAt: since, timeoutMs } = mail
      const asked = clock.now()
      const own = await lane.turn({ rank: LONE_RANK, since, longWaitMs: Number.POSITIVE_INFINITY, timeoutMs })
      // Waiting and sending share the time after which the outcome counts as unknown.
      const leftMs = timeoutMs - (clock.now() - asked)
      if (own !== null && leftMs > 0) return inLane({ ...mail, timeoutMs: leftMs }, own)
      own?.end()
      return NO_TURN
    },
    lookUp: (mail) => notifier.lookUp(mail),
    close: () => lane.close(),
  }
}
