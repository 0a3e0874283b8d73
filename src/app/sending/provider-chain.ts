import type { AttemptOutcome } from '../../core/incident/command.ts'
import { NO_ANSWER } from '../../core/incident/given-up.ts'
import { MINUTE } from '../../core/ingest/event-time.ts'
import type { Log } from '../../ports/log.ts'
import type { Provider, TextNotification } from '../../ports/notifier.ts'
import type { Turn } from './lane.ts'
import { OpenAttempts } from './open-attempts.ts'

type FailedOutcome = Extract<AttemptOutcome, { kind: 'failed' }>

/**
 * How often one provider may leave the same attempt open. rules.md#unknown-outcomes: repeated once, then
 * it counts as failed.
 */
const MAX_LEFT_OPEN = 2
/**
 * How long a provider that did so is skipped for that attempt: the distance of later rounds, in which a single provider
 * is asked again.
 */
const LEFT_OUT_MS = 15 * MINUTE

/** Hands a message to one provider; `turn` is of whichever provider the attempt waited for. */
export type HandOver = (provider: Provider, text: TextNotification, turn: Turn | null) => Promise<AttemptOutcome>

export type ProviderChain = {
  /** Who gets the next try of an attempt first, or null where all are left out. */
  first(attemptId: string, now: number): Provider | null
  send(text: TextNotification, turn: Turn | null): Promise<AttemptOutcome>
  lookUp(text: TextNotification): Promise<AttemptOutcome>
}

/**
 * Several providers of one channel, in order of preference, as one: where one fails, for any reason, the next is tried
 * at once. The outcome names the provider that took the message.
 * - A provider that answers 5xx counts as failed while another one is left. If none takes the message, it is looked up
 *   first.
 * - A provider that does not answer counts as failed if it cannot be asked later; if it can, the try ends and the
 *   message is looked up.
 * - The next try begins with the providers that left nothing open. One that leaves an attempt open twice is skipped,
 *   and the call moves on.
 */
export function createProviderChain(
  providers: readonly Provider[],
  { handOver, log }: { readonly handOver: HandOver; readonly log: Log },
): ProviderChain {
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
    first: (attemptId, now) => inOrder(attemptId, now)[0] ?? null,

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
        log.warn(about, 'a provider did not accept a message')
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

/**
 * What several providers together know of an attempt that none of them has: nothing while one of them could not be
 * asked.
 */
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
