import { type AttemptOutcome, CANNOT_BE_ASKED } from '../../core/incident/command.ts'
import type { Delivery } from '../../core/incident/delivery.ts'
import { noProvider, type TextChannel, textChannels } from '../../core/incident/delivery.ts'
import { failureKind } from '../../core/incident/failure-kind.ts'
import { segmentsOf } from '../../core/text/gsm7.ts'
import { SECOND } from '../../lib/durations.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { Meter } from '../../ports/meter.ts'
import type { TurnStore } from '../../ports/node-store.ts'
import type { Provider, TextNotification } from '../../ports/notifier.ts'
import { TEXT_TIMEOUT_MS } from './compose.ts'
import { heldLane, Lane, type Turn } from './lane.ts'
import { countResult } from './metrics.ts'
import { createProviderChain, type HandOver } from './provider-chain.ts'
import type { TextSender } from './sender.ts'
import { sharedAccount } from './turn-source.ts'
import { rankOf } from './turns.ts'

/** How long a lane pauses after a 429 without `Retry-After`. */
const PAUSE_MS = SECOND

type TextSenderNeeds = {
  /** The accounts of turns, if several nodes share them. Absent: every lane has its own. */
  readonly turns?: TurnStore | undefined
  readonly clock: Clock
  readonly log: Log
  readonly meter: Meter
  /**
   * Whether a provider is set up that this node cannot use: then a message on a channel without another one waits,
   * for a node that can or until this one can, instead of failing.
   */
  readonly isHeld?: boolean
}

/** The providers of SMS and calls combined, with their lanes. */
export type PacedTextSender = TextSender & {
  /** Number of messages of a channel that wait for their turn. */
  waiting(channel: TextChannel): number
  /** Wait of the oldest message of a channel, in ms. */
  longestWaitMs(channel: TextChannel): number
  /** Messages that still wait will never leave. */
  close(): void
}

/**
 * Combines `providers`, in order of preference. Each channel uses only the providers that serve it, and fails at once
 * if there is none. A message waits for its turn at the first of them without limit, and at a later one at most as long
 * as one attempt may take.
 */
export function createTextSender(providers: readonly Provider[], needs: TextSenderNeeds): PacedTextSender {
  const ways = { sms: wayOf('sms', providers, needs), voice: wayOf('voice', providers, needs) }
  const both = textChannels.map((channel) => ways[channel])
  return {
    inTurn: Math.max(1, ...both.map(({ timeouts }) => timeouts)),
    ...(both.some(({ lanes }) => lanes.length > 0) && {
      laneFor: (row, now) =>
        row.channel === 'sms' || row.channel === 'voice' ? ways[row.channel].laneFor(row, now) : null,
    }),
    send: (text, turn = null) => ways[text.channel].send(text, turn),
    lookUp: (text) => ways[text.channel].lookUp(text),
    waiting: (channel) => ways[channel].lanes.reduce((sum, { length }) => sum + length, 0),
    longestWaitMs: (channel) => Math.max(0, ...ways[channel].lanes.map(({ longestWaitMs }) => longestWaitMs)),
    close() {
      for (const { lanes } of both) for (const lane of lanes) lane.close()
    },
  }
}

/** The providers of one channel. */
type Way = {
  /** How many times `timeoutMs` they may take in sequence. */
  readonly timeouts: number
  readonly lanes: readonly Lane[]
  laneFor(row: Pick<Delivery, 'id'>, now: number): Lane | null
  send(text: TextNotification, turn: Turn | null): Promise<AttemptOutcome>
  lookUp(text: TextNotification): Promise<AttemptOutcome>
}

function wayOf(channel: TextChannel, providers: readonly Provider[], needs: TextSenderNeeds): Way {
  const able = providers.filter(({ channels }) => channels.includes(channel))
  const lanes = new Map<Provider, Lane>()
  for (const provider of able) {
    const lane = laneBefore(provider, channel, { ...needs, hasFallback: able.length > 1 })
    if (lane !== null) lanes.set(provider, lane)
  }
  const handOver = handingOver(lanes, needs)
  const timeouts = able.reduce((sum, { patienceMs }) => sum + timeoutsOf(patienceMs), 0)
  const shared = { timeouts, lanes: [...lanes.values()] }
  const [only] = able
  if (only === undefined) return needs.isHeld ? held(needs) : { ...shared, ...nobody(channel) }
  if (able.length === 1) {
    return {
      ...shared,
      laneFor: () => lanes.get(only) ?? null,
      send: (text, turn) => handOver(only, text, turn),
      lookUp: (text) => only.lookUp(text),
    }
  }
  const { first, send, lookUp } = createProviderChain(able, { handOver, log: needs.log })
  const laneFor: Way['laneFor'] = ({ id }, now) => {
    const provider = first(id, now)
    return (provider && lanes.get(provider)) ?? null
  }
  return { ...shared, laneFor, send, lookUp }
}

const nobody = (channel: TextChannel): Pick<Way, 'laneFor' | 'send' | 'lookUp'> => ({
  laneFor: () => null,
  send: async () => ({ kind: 'failed', error: noProvider[channel], retryable: false }),
  lookUp: async () => ({ kind: 'not_found' }),
})

function held({ clock }: Pick<TextSenderNeeds, 'clock'>): Way {
  const lane = heldLane(clock)
  // An earlier process, or another node, may have handed it to the provider that this one cannot ask.
  const lookUp = async () => CANNOT_BE_ASKED
  return { timeouts: 1, lanes: [lane], laneFor: () => lane, send: async () => NO_TURN, lookUp }
}

function laneBefore(
  { name, rate }: Provider,
  channel: TextChannel,
  { turns, clock, log, meter, hasFallback }: TextSenderNeeds & { readonly hasFallback: boolean },
): Lane | null {
  if (rate === undefined) return null
  const { account = '', perSecond, maxAtOnce, ahead = 0 } = rate[channel]
  const shared = turns && sharedAccount([name, channel, account].join(':'), { store: turns, clock, log })
  return new Lane({
    rate: { perSecond, maxAtOnce },
    // Another node cannot send attempts claimed here, so a shared account grants no turns ahead.
    ...(shared === undefined ? { ahead } : { account: shared }),
    clock,
    hasFallback,
    onTurn: (waitedMs) => meter.observe('queue_wait_seconds', waitedMs / SECOND, { channel }),
    onLongWait: (waitMs, waiting) =>
      log.warn(
        { channel, provider: name, waitSeconds: Math.round(waitMs / SECOND), waiting },
        'messages wait longer to be sent than contacts have to acknowledge; the account allows too few messages per second',
      ),
  })
}

export const NO_TURN: AttemptOutcome = { kind: 'failed', error: 'provider busy', retryable: true }

/**
 * Hands a message to one provider: with `turn` if it belongs to the provider's lane, else with a new turn from that
 * lane, if one comes in time.
 */
function handingOver(lanes: ReadonlyMap<Provider, Lane>, { meter }: Pick<TextSenderNeeds, 'meter'>): HandOver {
  async function inLane(provider: Provider, text: TextNotification, given: Turn | null): Promise<AttemptOutcome> {
    const lane = lanes.get(provider)
    const isOver = () => text.leftMs?.() === 0
    if (lane === undefined) return isOver() ? NO_TURN : provider.send(text)
    const { claimedAt: since, ackTimeoutMs, timeoutMs, drill } = text
    const longWaitMs = drill === undefined ? ackTimeoutMs : Number.POSITIVE_INFINITY
    const turn = given?.lane === lane ? given : await lane.turn({ rank: rankOf(text), since, longWaitMs, timeoutMs })
    if (turn === null) return NO_TURN
    try {
      if (isOver()) return NO_TURN
      turn.spend(text.channel === 'sms' ? segmentsOf(text.text) : 1)
      const outcome = await provider.send(text)
      if (outcome.kind === 'failed' && failureKind(outcome.error) === 'rate_limited') {
        lane.pause(outcome.retryAfterMs ?? PAUSE_MS)
      }
      return outcome
    } finally {
      turn.end()
    }
  }
  return async (provider, text, turn) => {
    const outcome = await inLane(provider, text, turn)
    countResult(meter, { provider: provider.name, channel: text.channel }, outcome)
    return outcome
  }
}

/** The number of `TEXT_TIMEOUT_MS` that a provider with `patienceMs` counts for. */
export const timeoutsOf = (patienceMs = TEXT_TIMEOUT_MS): number => Math.max(1, Math.ceil(patienceMs / TEXT_TIMEOUT_MS))
