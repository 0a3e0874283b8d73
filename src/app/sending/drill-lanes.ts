import type { AttemptOutcome } from '../../core/incident/command.ts'
import type { Channel } from '../../core/incident/delivery.ts'
import { failureKind } from '../../core/incident/failure-kind.ts'
import type { Rate } from '../../core/pacing/account.ts'
import { MINUTE, SECOND } from '../../lib/durations.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { TurnStore } from '../../ports/node-store.ts'
import { Lane, type Turn } from './lane.ts'
import { sharedAccount } from './turn-source.ts'

/** So many requests of drills are under way on one channel: of 64 connections to one address, alarms have the rest. */
const AT_ONCE = 2
const ONE_A_SECOND: Rate = { perSecond: 1, maxAtOnce: AT_ONCE }

/**
 * How fast drills use what has no rate of its own. Chats take about one post a second at one address, some of them 30 a
 * minute, and answer 429 to the next one, whatever it says. So drills leave room for an alarm.
 */
const RATES: Readonly<Record<Channel, Rate>> = {
  sms: ONE_A_SECOND,
  voice: ONE_A_SECOND,
  http: ONE_A_SECOND,
  chat: { perSecond: 1 / 3, maxAtOnce: AT_ONCE },
  webhook: ONE_A_SECOND,
}

/** How long drills leave a channel alone after a 429 that names no time, and at most. */
const PAUSE_MS = 10 * SECOND
const MAX_PAUSE_MS = MINUTE

export type DrillLanes = {
  laneFor(channel: Channel): Lane
  /** Sends with `turn`, and uses it up where it is of one of these lanes. */
  spending(turn: Turn | null, send: () => Promise<AttemptOutcome>): Promise<AttemptOutcome>
  /** What still waits never leaves. */
  close(): void
}

/**
 * The lines in which messages of drills wait where no provider's rate makes them: one a channel, for all targets. A
 * hundred drills that begin together must not use up what a chat takes, or the connections to a gateway, when somebody
 * presses. Alarms are in none of these lines. `turns`: the accounts that several nodes share. rules.md#drills.
 */
export function drillLanes({
  turns,
  clock,
  log,
}: {
  readonly turns?: TurnStore | undefined
  readonly clock: Clock
  readonly log: Log
}): DrillLanes {
  const laneOf = (channel: Channel): Lane =>
    new Lane({
      rate: RATES[channel],
      clock,
      hasFallback: false,
      // Figures leave drills out, and a drill that waits is no trouble.
      onTurn: () => {},
      onLongWait: () => {},
      ...(turns && { account: sharedAccount(`drill:${channel}`, { store: turns, clock, log }) }),
    })
  const lanes: Readonly<Record<Channel, Lane>> = {
    sms: laneOf('sms'),
    voice: laneOf('voice'),
    http: laneOf('http'),
    chat: laneOf('chat'),
    webhook: laneOf('webhook'),
  }
  const own: ReadonlySet<Lane> = new Set(Object.values(lanes))
  return {
    laneFor: (channel) => lanes[channel],
    async spending(turn, send) {
      if (turn === null || !own.has(turn.lane)) return send()
      turn.spend(1)
      const outcome = await send()
      if (outcome.kind === 'failed' && failureKind(outcome.error) === 'rate_limited') {
        turn.lane.pause(Math.min(outcome.retryAfterMs ?? PAUSE_MS, MAX_PAUSE_MS))
      }
      return outcome
    },
    close() {
      for (const lane of own) lane.close()
    },
  }
}
