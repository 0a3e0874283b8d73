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

/** Requests of drills under way on one channel: of 64 connections to one address, alarms have the rest. */
const AT_ONCE = 2
const ONE_A_SECOND: Rate = { perSecond: 1, maxAtOnce: AT_ONCE }

/**
 * The rates of drills on channels without a rate of their own. Chats accept about one post a second at one address,
 * some of them 30 a minute, and answer the next one with 429, whatever it says. So drills leave room for an alarm.
 */
const RATES: Readonly<Record<Channel, Rate>> = {
  sms: ONE_A_SECOND,
  voice: ONE_A_SECOND,
  http: ONE_A_SECOND,
  chat: { perSecond: 1 / 3, maxAtOnce: AT_ONCE },
  webhook: ONE_A_SECOND,
  email: ONE_A_SECOND,
}

/** How long drills pause on a channel after a 429: without a stated time, and at most. */
const PAUSE_MS = 10 * SECOND
const MAX_PAUSE_MS = MINUTE

export type DrillLanes = {
  laneFor(channel: Channel): Lane
  /** Sends with `turn`, and spends it if it belongs to one of these lanes. */
  spending(turn: Turn | null, send: () => Promise<AttemptOutcome>): Promise<AttemptOutcome>
  /** Messages that still wait will never leave. */
  close(): void
}

/**
 * The lanes in which messages of drills wait if no provider's rate applies: one per channel, for all targets. A hundred
 * drills that begin together must not use up what a chat accepts, or the connections to a gateway, when somebody
 * presses. Alarms use none of these lanes. `turns`: the accounts that several nodes share. preparing.md#drills.
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
      // Metrics leave drills out, and a waiting drill is not a problem.
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
    email: laneOf('email'),
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
