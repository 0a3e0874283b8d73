import type { AttemptOutcome } from '../../core/incident/command.ts'
import { QUIET_MS } from '../../core/incident/escalation.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Notification } from '../../ports/notifier.ts'

type Asked = {
  readonly clock: Pick<Clock, 'after'>
  /** How many times `timeoutMs` the providers tried in sequence may take. */
  readonly inTurn: number
  readonly ask: (limited: Notification) => Promise<AttemptOutcome>
}

/**
 * The result of `ask` for a notification. Every notifier has its own time-outs; one that still never settles must not
 * keep its attempt from being looked up. Providers tried in sequence share one time limit, which includes waiting for
 * their turns: when the attempt is looked up, no provider is still to be asked.
 */
export async function inTime(notification: Notification, { clock, inTurn, ask }: Asked): Promise<AttemptOutcome> {
  const togetherMs = notification.timeoutMs * inTurn
  const { promise: timeout, resolve: giveUp } = Promise.withResolvers<AttemptOutcome>()
  const cancels = [clock.after(togetherMs + QUIET_MS, () => giveUp({ kind: 'unknown' }))]
  const limited = (): Notification => {
    let isOver = false
    const end = () => {
      isOver = true
    }
    cancels.push(clock.after(togetherMs, end))
    const leftMs = () => (isOver ? 0 : (notification.leftMs?.() ?? Number.POSITIVE_INFINITY))
    return { ...notification, leftMs }
  }
  try {
    // A single provider has its own time-out.
    return await Promise.race([ask(inTurn > 1 ? limited() : notification), timeout])
  } finally {
    for (const cancel of cancels) cancel()
  }
}
