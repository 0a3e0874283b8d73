import type { AttemptOutcome } from '../../core/command.ts'
import type { Log } from '../../ports/log.ts'
import type { Notification, Notifier, TextNotification } from '../../ports/notifier.ts'

type Text = Extract<Notification, TextNotification>
type Failure = Extract<AttemptOutcome, { kind: 'failed' }>

/** One of `notifications.providers`. */
export type Provider = { readonly name: string; readonly notifier: Notifier<Text> }

/** Attempts that a provider left open, at most: beyond that the oldest is forgotten, which costs its next try only the order. */
const MOST_OPEN = 10_000

/**
 * Several providers as one, in order of preference: where one fails, for whatever reason, the next is tried at once. The outcome names
 * whoever took the message. A provider that leaves open whether it took it ends the try: the attempt is looked up first, and if
 * nobody has it, the repeat begins behind that provider. Decisions 4, `notifications.providers`.
 */
export function createProviderChain(providers: readonly Provider[], log: Log): Notifier<Text> {
  const leftOpenBy = new Map<string, number>()

  const inTurn = (attemptId: string): readonly Provider[] => {
    const start = (leftOpenBy.get(attemptId) ?? -1) + 1
    leftOpenBy.delete(attemptId)
    return [...providers.slice(start), ...providers.slice(0, start)]
  }

  const leaveOpen = (attemptId: string, provider: Provider) => {
    leftOpenBy.set(attemptId, providers.indexOf(provider))
    // A Map remembers its order: the first one is the oldest.
    if (leftOpenBy.size > MOST_OPEN) leftOpenBy.delete(leftOpenBy.keys().next().value!)
  }

  return {
    async send(text) {
      const { attemptId, incidentId, channel } = text
      const failures: Failure[] = []
      for (const provider of inTurn(attemptId)) {
        const outcome = await provider.notifier.send(text)
        if (outcome.kind === 'unknown') leaveOpen(attemptId, provider)
        if (outcome.kind !== 'failed') return outcome
        failures.push(outcome)
        log.warn(
          { incidentId, attemptId, channel, provider: provider.name, error: outcome.error },
          'a provider did not take a message',
        )
      }
      return joint(failures)
    },

    async lookUp(text) {
      let unsure = false
      for (const { notifier } of providers) {
        const outcome = await notifier.lookUp(text)
        if (outcome.kind === 'unknown') unsure = true
        else if (outcome.kind !== 'not_found') return outcome
      }
      return { kind: unsure ? 'unknown' : 'not_found' }
    },
  }
}

/** Worth another try while it is so for any of them, after the shortest wait that one asked for. */
function joint(failures: readonly Failure[]): AttemptOutcome {
  const passing = failures.filter((failure) => failure.passing)
  const told = passing[0] ?? failures.at(-1)
  if (told === undefined) return { kind: 'no_target' }
  const waits = passing.map((failure) => failure.retryAfterMs ?? 0)
  const { retryAfterMs: _, ...failure } = told
  const wait = waits.length === 0 ? 0 : Math.min(...waits)
  return wait === 0 ? failure : { ...failure, retryAfterMs: wait }
}
