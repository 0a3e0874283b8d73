import type { ChatFormat } from '../core/actuator.ts'
import type { AttemptOutcome } from '../core/command.ts'

/** What is to be sent, complete: a notifier looks nothing up. `attemptId` is stable over repeats of an unsure attempt. */
export type Notification = {
  readonly attemptId: string
  readonly incidentId: string
  /** Epoch ms of the claim: which try of this attempt it is, and since when a look-up has to search. */
  readonly claimedAt: number
  readonly timeoutMs: number
} & (
  | TextNotification
  | { readonly channel: 'http'; readonly url: string; readonly body: unknown; readonly contactId: string }
  | { readonly channel: 'chat'; readonly url: string; readonly format: ChatFormat; readonly text: string }
  /** `round`: which alarm of the incident it tells of, from 1: a re-alarm is a message of its own, a retry is not. */
  | {
      readonly channel: 'webhook'
      readonly url: string
      readonly secret: string | null
      readonly body: unknown
      readonly round: number
    }
)

export type TextNotification = {
  readonly channel: 'sms' | 'voice'
  readonly contactId: string
  /** E.164. */
  readonly to: string
  readonly text: string
  /** BCP 47, for the voice. */
  readonly language: string
  /** The secret part of the tracking link in the text, by which a sent message is recognised at the provider. */
  readonly token: string
}

/**
 * One way of telling somebody. Both functions settle with an outcome and never reject: an error is an outcome, and one that leaves
 * it open whether the message went out is `unknown`.
 */
export type Notifier<N = Notification> = {
  send(notification: N): Promise<AttemptOutcome>
  /** Asks the provider what became of an attempt whose outcome is missing. `not_found` where it has none or cannot tell. */
  lookUp(notification: N): Promise<AttemptOutcome>
}
