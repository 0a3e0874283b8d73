import type { AttemptOutcome } from '../../core/incident/command.ts'

/** The part of an outcome that may be logged: never a message text or a phone number. */
export const loggable = (outcome: AttemptOutcome): Record<string, unknown> => ({
  outcome: outcome.kind,
  ...('provider' in outcome && { provider: outcome.provider }),
  ...('error' in outcome && { error: outcome.error }),
})

/** Whether a provider was really asked. One that keeps no record says so in an error (`Notifier.lookUp`). */
export const isAnswer = (outcome: AttemptOutcome): boolean =>
  outcome.kind !== 'not_found' || outcome.error === undefined
