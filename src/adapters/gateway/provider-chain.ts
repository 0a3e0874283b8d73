import type { AttemptOutcome } from '../../core/command.ts'
import type { Log } from '../../ports/log.ts'
import type { Notification, Notifier, TextNotification } from '../../ports/notifier.ts'

type Text = Extract<Notification, TextNotification>
type Failure = Extract<AttemptOutcome, { kind: 'failed' }>

/** One of `notifications.providers`. */
export type Provider = { readonly name: string; readonly notifier: Notifier<Text> }

/** Attempts that a provider left open, at most: beyond that the oldest is forgotten, which costs its next try only the order. */
const MOST_OPEN = 10_000
/** After so many look-ups without an answer the next provider is worth more than certainty. */
const LOOK_UPS = 3

/** Who left an attempt open, and how often nobody could say since what became of it. */
type LeftOpen = { readonly by: number; readonly lookUps: number }

/**
 * Several providers as one, in order of preference: where one fails, for whatever reason, the next is tried at once. The outcome names
 * whoever took the message. A provider that leaves open whether it took it ends the try: the attempt is looked up first, and if
 * nobody has it, the repeat begins behind that provider. Decisions 4, `notifications.providers`.
 */
export function createProviderChain(providers: readonly Provider[], log: Log): Notifier<Text> {
  const leftOpen = new Map<string, LeftOpen>()

  const inTurn = (attemptId: string): readonly Provider[] => {
    const start = (leftOpen.get(attemptId)?.by ?? -1) + 1
    leftOpen.delete(attemptId)
    return [...providers.slice(start), ...providers.slice(0, start)]
  }

  const leaveOpen = (attemptId: string, open: LeftOpen) => {
    leftOpen.set(attemptId, open)
    // A Map remembers its order: the first one is the oldest.
    if (leftOpen.size > MOST_OPEN) leftOpen.delete(leftOpen.keys().next().value!)
  }

  /** Nobody knows yet; with somebody else to try that is not waited for without end. */
  const unsure = (attemptId: string): AttemptOutcome => {
    const { by, lookUps } = leftOpen.get(attemptId) ?? { by: 0, lookUps: 0 }
    leaveOpen(attemptId, { by, lookUps: lookUps + 1 })
    return { kind: lookUps + 1 < LOOK_UPS ? 'unknown' : 'not_found' }
  }

  return {
    // Whoever comes after the first gets a message that is under way already.
    queued: providers[0]?.notifier.queued ?? [],

    async send(text, begin) {
      const { attemptId, incidentId, channel } = text
      const failures: Failure[] = []
      let begun = begin === undefined ? text : null
      const beginOnce = async (): Promise<string | null> => {
        if (begun === null && begin !== undefined) {
          const now = await begin()
          begun = now === null ? null : { ...text, text: now }
        }
        return begun?.text ?? null
      }
      for (const provider of inTurn(attemptId)) {
        const waits = provider.notifier.queued?.includes(channel) ?? false
        if (begun === null && !waits && (await beginOnce()) === null) return { kind: 'not_wanted' }
        const outcome = await (begun === null ? provider.notifier.send(text, beginOnce) : provider.notifier.send(begun))
        if (outcome.kind === 'unknown') leaveOpen(attemptId, { by: providers.indexOf(provider), lookUps: 0 })
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
      let isOpen = false
      // Who has taken a message is the one to ask what became of it.
      for (const { notifier } of providers.filter(({ name }) => text.provider === null || name === text.provider)) {
        const outcome = await notifier.lookUp(text)
        if (outcome.kind === 'unknown') isOpen = true
        else if (outcome.kind !== 'not_found') return outcome
      }
      if (!isOpen) return { kind: 'not_found' }
      return text.provider === null ? unsure(text.attemptId) : { kind: 'unknown' }
    },
  }
}

/** Worth another try while it is so for any of them, after the shortest wait that one asked for. */
function joint(failures: readonly Failure[]): AttemptOutcome {
  const passing = failures.filter((failure) => failure.passing)
  const told = passing[0] ?? failures.at(-1)
  if (told === undefined) return { kind: 'no_target' }
  const waits = passing.map((failure) => failure.retryAfterMs ?? 0)
  const { retryAfterMs: _, ...first } = told
  const isMixed = passing.length > 0 && passing.length < failures.length
  const failure = isMixed ? { ...first, isFinalForOne: true } : first
  const wait = waits.length === 0 ? 0 : Math.min(...waits)
  return wait === 0 ? failure : { ...failure, retryAfterMs: wait }
}
