import type { AttemptOutcome } from '../../core/incident/command.ts'
import type { Delivery } from '../../core/incident/delivery.ts'
import { failureKind } from '../../core/incident/failure-kind.ts'
import { NO_ANSWER } from '../../core/incident/given-up.ts'
import { noProvider, type TextChannel, textChannels } from '../../core/incident/text-channels.ts'
import { MINUTE, SECOND } from '../../core/ingest/event-time.ts'
import { segmentsOf } from '../../core/text/gsm7.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { Meter } from '../../ports/meter.ts'
import type { Provider, TextNotification } from '../../ports/notifier.ts'
import { Lane, type Turn } from './lane.ts'
import { countResult } from './metrics.ts'
import { OpenAttempts } from './open-attempts.ts'
import type { TextSender } from './sender.ts'
import { rankOf } from './turns.ts'

type FailedOutcome = Extract<AttemptOutcome, { kind: 'failed' }>

/** How often one provider may leave the same attempt open. Decisions 8: repeated once, then it counts as failed. */
const MAX_LEFT_OPEN = 2
/** How long a provider that did so is skipped for that attempt: the distance of later rounds, in which a single provider is asked again. */
const LEFT_OUT_MS = 15 * MINUTE
/** How long a lane pauses after a 429 that does not say. */
const PAUSE_MS = SECOND

type Parts = {
  readonly clock: Clock
  readonly log: Log
  readonly meter: Meter
}

/** The providers of SMS and calls as one, with the lanes before them. */
export type ProviderChain = TextSender & {
  /** How many messages of a channel wait for their turn at a provider. */
  waiting(channel: TextChannel): number
  /** For how long the one that came first has been waiting, in ms. */
  longestWaitMs(channel: TextChannel): number
  /** What still waits never leaves. */
  close(): void
}

/**
 * `providers`, in order of preference, as one. Each channel goes only to those that can do it, and fails at once where there is none. Where
 * several can, and one fails for any reason, the next is tried at once; the outcome names the provider that took the message:
 * - A provider that answers 5xx counts as failed while another one is left. If none takes the message, it is looked up first.
 * - A provider that does not answer counts as failed if it cannot be asked later; if it can, the try ends and the message is looked up.
 * - The next try begins with the providers that left nothing open. One that leaves an attempt open twice is skipped, and the call moves on.
 * A message waits for its turn at the first provider as long as it takes, and at a later one no longer than an attempt may take.
 */
export function createProviderChain(providers: readonly Provider[], parts: Parts): ProviderChain {
  const ways = { sms: wayOf('sms', providers, parts), voice: wayOf('voice', providers, parts) }
  const both = textChannels.map((channel) => ways[channel])
  return {
    inTurn: Math.max(1, ...both.map(({ size }) => size)),
    laneFor: (row, now) =>
      row.channel === 'sms' || row.channel === 'voice' ? ways[row.channel].laneFor(row, now) : null,
    send: (text, turn = null) => ways[text.channel].send(text, turn),
    lookUp: (text) => ways[text.channel].lookUp(text),
    waiting: (channel) => ways[channel].lanes.reduce((sum, { length }) => sum + length, 0),
    longestWaitMs: (channel) => Math.max(0, ...ways[channel].lanes.map(({ longestMs }) => longestMs)),
    close() {
      for (const { lanes } of both) for (const lane of lanes) lane.close()
    },
  }
}

/** The providers of one channel. */
type Way = {
  readonly size: number
  readonly lanes: readonly Lane[]
  laneFor(row: Pick<Delivery, 'id'>, now: number): Lane | null
  send(text: TextNotification, turn: Turn | null): Promise<AttemptOutcome>
  lookUp(text: TextNotification): Promise<AttemptOutcome>
}

function wayOf(channel: TextChannel, providers: readonly Provider[], parts: Parts): Way {
  const able = providers.filter(({ channels }) => channels.includes(channel))
  const lanes = new Map<Provider, Lane>()
  for (const provider of able) {
    const lane = laneBefore(provider, channel, { ...parts, hasFallback: able.length > 1 })
    if (lane !== null) lanes.set(provider, lane)
  }
  const handOver = handingOver(lanes, parts)
  const [first] = able
  const shared = { size: able.length, lanes: [...lanes.values()] }
  if (first === undefined) return { ...shared, ...nobody(channel) }
  if (able.length > 1) return { ...shared, ...chained(able, lanes, { handOver, log: parts.log }) }
  return {
    ...shared,
    laneFor: () => lanes.get(first) ?? null,
    send: (text, turn) => handOver(first, text, turn),
    lookUp: (text) => first.lookUp(text),
  }
}

const nobody = (channel: TextChannel): Pick<Way, 'laneFor' | 'send' | 'lookUp'> => ({
  laneFor: () => null,
  send: async () => ({ kind: 'failed', error: noProvider[channel], retryable: false }),
  lookUp: async () => ({ kind: 'not_found' }),
})

function laneBefore(
  { name, rate }: Provider,
  channel: TextChannel,
  { clock, log, meter, hasFallback }: Parts & { readonly hasFallback: boolean },
): Lane | null {
  if (rate === undefined) return null
  return new Lane({
    rate: rate[channel],
    clock,
    hasFallback,
    onTurn: (waitedMs) => meter.observe('queue_wait_seconds', waitedMs / SECOND, { channel }),
    onLongWait: (waitMs, waiting) =>
      log.warn(
        { channel, provider: name, waitSeconds: Math.round(waitMs / SECOND), waiting },
        'messages wait for their turn at the provider longer than contacts have to acknowledge; the account may send too few a second',
      ),
  })
}

type HandOver = (provider: Provider, text: TextNotification, turn: Turn | null) => Promise<AttemptOutcome>

const NO_TURN: AttemptOutcome = { kind: 'failed', error: 'provider busy', retryable: true }

/** Hands a message to one provider: with `turn` where that is one of its lane, else with one that comes soon. */
function handingOver(lanes: ReadonlyMap<Provider, Lane>, { meter }: Pick<Parts, 'meter'>): HandOver {
  async function inLane(provider: Provider, text: TextNotification, given: Turn | null): Promise<AttemptOutcome> {
    const lane = lanes.get(provider)
    if (lane === undefined) return provider.send(text)
    const { claimedAt: since, ackTimeoutMs: longWaitMs, timeoutMs: patienceMs } = text
    const turn = given?.lane === lane ? given : await lane.turn({ rank: rankOf(text), since, longWaitMs, patienceMs })
    if (turn === null) return NO_TURN
    try {
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

/** Several providers of one channel. */
function chained(
  providers: readonly Provider[],
  lanes: ReadonlyMap<Provider, Lane>,
  { handOver, log }: { readonly handOver: HandOver; readonly log: Log },
): Pick<Way, 'laneFor' | 'send' | 'lookUp'> {
  const attempts = new OpenAttempts()

  const inOrder = (attemptId: string, at: number): readonly Provider[] => {
    const asked = providers.filter(({ name }) => {
      const { times, at: leftAt } = attempts.leftOpenBy(attemptId, name)
      // A clock that was set back must not prolong that.
      return times < MAX_LEFT_OPEN || Math.abs(at - leftAt) >= LEFT_OUT_MS
    })
    const isLate = ({ name }: Provider) => attempts.leftOpenLast(attemptId, name)
    return [...asked.filter((provider) => !isLate(provider)), ...asked.filter(isLate)]
  }

  /** Nobody can tell whether this provider has taken it. */
  const untold = ({ attemptId, claimedAt }: TextNotification, name: string, error = NO_ANSWER): FailedOutcome => {
    const times = attempts.leaveOpen(attemptId, name, claimedAt)
    return { kind: 'failed', error, retryable: times < MAX_LEFT_OPEN }
  }

  return {
    laneFor({ id }, now) {
      const [first] = inOrder(id, now)
      return (first && lanes.get(first)) ?? null
    },

    async send(text, turn) {
      const { attemptId, incidentId, channel } = text
      const failures: FailedOutcome[] = []
      const order = inOrder(attemptId, text.claimedAt)
      attempts.begin(attemptId)
      for (const [place, provider] of order.entries()) {
        const { name } = provider
        const outcome = await handOver(provider, text, turn)
        if (outcome.kind === 'unknown') {
          attempts.awaitLookUp(attemptId, name)
          const isLast = place === order.length - 1
          if (outcome.refused === undefined || isLast) {
            attempts.keepFailures(attemptId, failures)
            return outcome
          }
        } else if (outcome.kind === 'not_found') failures.push(untold(text, name, outcome.error))
        else if (outcome.kind === 'failed') failures.push(outcome)
        else {
          attempts.forget(attemptId)
          return outcome
        }
        const error = outcome.kind === 'unknown' ? outcome.refused : failures.at(-1)?.error
        const about = { incidentId, attemptId, channel, provider: name, error }
        log.warn(about, 'a provider did not take a message')
      }
      if (attempts.lookedUpAt(attemptId) === null) return joint(failures)
      attempts.keepFailures(attemptId, failures)
      return { kind: 'unknown' }
    },

    async lookUp(text) {
      const { attemptId, provider } = text
      // Only the provider that took a message knows its status.
      const asked = providers.filter(({ name }) => provider === null || name === provider)
      const verdicts = new Map<string, AttemptOutcome>()
      for (const one of asked) {
        const outcome = await one.lookUp(text)
        if (outcome.kind === 'sent' || outcome.kind === 'delivered') {
          attempts.forget(attemptId)
          return outcome
        }
        verdicts.set(one.name, outcome)
      }
      // Left open by this process, or by one before it.
      const by = provider === null ? attempts.lookedUpAt(attemptId) : null
      const verdict = by === null ? undefined : verdicts.get(by)
      if (by === null || verdict === undefined) return leastTold([...verdicts.values()])
      if (verdict.kind === 'failed') return joint([...attempts.failuresOf(attemptId), verdict])
      if (verdict.kind === 'not_found' && verdict.error === undefined) return verdict
      const failure = untold(text, by, verdict.kind === 'not_found' ? verdict.error : NO_ANSWER)
      return failure.retryable
        ? { kind: 'not_found', error: failure.error }
        : joint([...attempts.failuresOf(attemptId), failure])
    },
  }
}

/** What several providers together know of an attempt that none of them has: nothing while one of them could not be asked. */
function leastTold(verdicts: readonly AttemptOutcome[]): AttemptOutcome {
  const isOpen = ({ kind }: AttemptOutcome) => kind === 'unknown'
  const isUntold = (verdict: AttemptOutcome) => verdict.kind === 'not_found' && verdict.error !== undefined
  const isFailed = ({ kind }: AttemptOutcome) => kind === 'failed'
  return verdicts.find(isOpen) ?? verdicts.find(isFailed) ?? verdicts.find(isUntold) ?? { kind: 'not_found' }
}

/** Worth another try while it is so for any of them, after the shortest wait that one asked for. */
function joint(failures: readonly FailedOutcome[]): AttemptOutcome {
  const retryable = failures.filter((failure) => failure.retryable)
  const told = retryable[0] ?? failures.at(-1)
  // Every provider was left out.
  if (told === undefined) return { kind: 'failed', error: NO_ANSWER, retryable: false }
  const waits = retryable.map((failure) => failure.retryAfterMs ?? 0)
  const { retryAfterMs: _, ...first } = told
  const isMixed = retryable.length > 0 && retryable.length < failures.length
  const failure = isMixed ? { ...first, isFinalForOne: true } : first
  const wait = waits.length === 0 ? 0 : Math.min(...waits)
  return wait === 0 ? failure : { ...failure, retryAfterMs: wait }
}
