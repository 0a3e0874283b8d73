import { SMS_REPEAT_MS } from '../../core/account/settings.ts'
import type { AttemptOutcome } from '../../core/incident/command.ts'
import type { TextChannel } from '../../core/incident/delivery.ts'
import { NO_ANSWER } from '../../core/incident/delivery.ts'
import { MINUTE } from '../../lib/durations.ts'
import type { Log } from '../../ports/log.ts'
import type { Provider, TextNotification } from '../../ports/notifier.ts'
import type { Turn } from './lane.ts'
import { type FailedOutcome, OpenAttempts } from './open-attempts.ts'

/**
 * How long a provider is skipped for an attempt that it has left open once, twice, ...: the same waits as the repeats
 * at a single provider. rules.md#unknown-outcomes.
 */
const REPEATS_MS: Readonly<Record<TextChannel, readonly number[]>> = { sms: SMS_REPEAT_MS, voice: [0] }
/**
 * How long it is skipped once the attempt counts as failed there: the pause before later rounds, in which a single
 * provider is also asked again.
 */
const LEFT_OUT_MS = 15 * MINUTE

/** Hands a message to one provider. `turn`: of the provider that the attempt waited for, which may be another one. */
export type HandOver = (provider: Provider, text: TextNotification, turn: Turn | null) => Promise<AttemptOutcome>

export type ProviderChain = {
  /** The provider that gets the next try of an attempt first; null if all are skipped. */
  first(attemptId: string, now: number): Provider | null
  send(text: TextNotification, turn: Turn | null): Promise<AttemptOutcome>
  lookUp(text: TextNotification): Promise<AttemptOutcome>
}

/**
 * Combines the providers of one channel, in order of preference: if one fails, for any reason, the next is tried
 * immediately. The outcome names the provider that took the message.
 * - A provider that answers 5xx counts as failed while another one is left. If none takes the message, it is looked up
 *   first.
 * - A provider that does not answer counts as failed if it has no look-up. If it has one, the try ends and the message
 *   is looked up.
 * - The next try begins with the providers that left nothing open. A provider that left an attempt open is skipped for
 *   as long as the repeat waits; after the last one for a quarter of an hour, and the call is moved forward.
 */
export function createProviderChain(
  providers: readonly Provider[],
  { handOver, log }: { readonly handOver: HandOver; readonly log: Log },
): ProviderChain {
  const attempts = new OpenAttempts()

  const inOrder = (attemptId: string, at: number): readonly Provider[] => {
    const asked = providers.filter(({ name }) => {
      const left = attempts.leftOpenBy(attemptId, name)
      // A clock that was set back must not prolong the wait.
      return left === undefined || Math.abs(at - left.at) >= left.restMs
    })
    const isLate = ({ name }: Provider) => attempts.leftOpenLast(attemptId, name)
    return [...asked.filter((provider) => !isLate(provider)), ...asked.filter(isLate)]
  }

  /** The failure of a provider that may or may not have accepted the message. */
  const leftOpen = (text: TextNotification, name: string, error = NO_ANSWER): FailedOutcome => {
    const { attemptId, claimedAt, channel, purpose } = text
    const waits = REPEATS_MS[channel]
    // Nothing follows the closing text, so it is only delayed.
    const lastMs = purpose === 'all_clear' ? MINUTE : LEFT_OUT_MS
    const restMs = (times: number) => waits[times - 1] ?? lastMs
    const left = attempts.leaveOpen(attemptId, name, { at: claimedAt, restMs })
    const retryable = left.times <= waits.length || purpose === 'all_clear'
    const wait = retryable && left.restMs > 0 ? { retryAfterMs: left.restMs } : {}
    return { kind: 'failed', error, retryable, mayHaveArrived: true, ...wait }
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
        } else if (outcome.kind === 'not_found') failures.push(leftOpen(text, name, outcome.error))
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
      // The provider that left it open in this process; null if an earlier process did.
      const by = provider === null ? attempts.lookedUpAt(attemptId) : null
      const verdict = by === null ? undefined : verdicts.get(by)
      if (by === null || verdict === undefined) return jointLookUp([...verdicts.values()])
      if (verdict.kind === 'failed') return joint([...attempts.failuresOf(attemptId), verdict])
      if (verdict.kind === 'not_found' && verdict.error === undefined) return verdict
      const failure = leftOpen(text, by, verdict.kind === 'not_found' ? verdict.error : NO_ANSWER)
      return failure.retryable
        ? { kind: 'not_found', error: failure.error }
        : joint([...attempts.failuresOf(attemptId), failure])
    },
  }
}

/** The joint look-up result if no provider has the attempt: unknown as long as one of them could not be asked. */
function jointLookUp(verdicts: readonly AttemptOutcome[]): AttemptOutcome {
  const isOpen = ({ kind }: AttemptOutcome) => kind === 'unknown'
  const hasNoRecord = (verdict: AttemptOutcome) => verdict.kind === 'not_found' && verdict.error !== undefined
  const isFailed = (verdict: AttemptOutcome) => verdict.kind === 'failed'
  const failed = verdicts.find(isFailed)
  const doubted = failed && verdicts.some(hasNoRecord) ? { ...failed, mayHaveArrived: true as const } : failed
  return verdicts.find(isOpen) ?? doubted ?? verdicts.find(hasNoRecord) ?? { kind: 'not_found' }
}

/** Retryable if any of the failures is, after the shortest wait that a provider asked for. */
function joint(failures: readonly FailedOutcome[]): AttemptOutcome {
  const retryable = failures.filter((failure) => failure.retryable)
  const told = retryable[0] ?? failures.at(-1)
  // All providers were skipped.
  if (told === undefined) return { kind: 'failed', error: NO_ANSWER, retryable: false }
  const waits = retryable.map((failure) => failure.retryAfterMs ?? 0)
  const { retryAfterMs: _, ...first } = told
  const doubt = failures.some(({ mayHaveArrived }) => mayHaveArrived) ? { mayHaveArrived: true as const } : {}
  const isMixed = retryable.length > 0 && retryable.length < failures.length
  const failure = { ...first, ...doubt, ...(isMixed && { isFinalForOne: true }) }
  const wait = waits.length === 0 ? 0 : Math.min(...waits)
  return wait === 0 ? failure : { ...failure, retryAfterMs: wait }
}
