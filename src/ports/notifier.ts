import type { ChatFormat } from '../core/account/actuator.ts'
import type { AttemptOutcome } from '../core/incident/command.ts'
import type { Channel, Purpose } from '../core/incident/delivery.ts'
import type { CallWords } from '../core/text/call-words.ts'

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
  /** `occurrence`: which event of its type it is, from 1: a re-alarm is a message of its own, a retry is not. */
  | {
      readonly channel: 'webhook'
      readonly url: string
      readonly secret: string | null
      readonly body: unknown
      readonly occurrence: number
    }
)

export type TextNotification = {
  readonly channel: 'sms' | 'voice'
  /** What it is for: an alarm, the word that it is over, or a test that an operator sends. */
  readonly purpose: Purpose | 'test'
  /** The first message of its kind to this contact. Where a provider takes few a second, it goes before repeats of any other. */
  readonly first: boolean
  readonly contactId: string
  /** E.164. */
  readonly to: string
  readonly text: string
  /** BCP 47: the language in which the text is written, for the voice. */
  readonly language: string
  /** What a call says besides the text; the language's own words where absent. */
  readonly words?: CallWords
  /** The secret part of the tracking link in the text, by which a sent message is recognised at the provider. */
  readonly token: string
  /** The number begins with none of the application's country prefixes. It is sent to all the same. */
  readonly outsidePrefixes: boolean
  /** How long contacts have to acknowledge: a message that waits for its turn for longer than that comes late. */
  readonly ackTimeoutMs: number
  /** The provider that took it, and its id for the message there, where they are known. For look-ups. */
  readonly provider: string | null
  readonly providerRef: string | null
  /** Ids that providers gave to other attempts of the incident: what a look-up finds under one of them is not this message. */
  readonly otherRefs: readonly string[]
}

/**
 * Called by a notifier that may keep a message waiting (a provider that takes few a second), right before it is handed over. Resolves with
 * its text as of now, since a position grows old while a message waits, or with null where it is no longer wanted. Commits that it is under
 * way, so that a crash before it leaves nothing unsure.
 */
export type Begin = () => Promise<string | null>

/**
 * One way of telling somebody. Both functions settle with an outcome and never reject: an error is an outcome, and one that leaves
 * it open whether the message went out is `unknown`.
 */
export type Notifier<N = Notification> = {
  /** Channels whose messages may wait here for their turn: for those, `begin` is called before each one leaves. */
  readonly queued?: readonly Channel[]
  /** How many providers may be asked one after the other, each for as long as `timeoutMs`; one where it is absent. */
  readonly inTurn?: number
  /**
   * `begin`: for a channel of `queued`, to be awaited before the message leaves; where it answers null nothing is sent and the outcome is
   * `not_wanted`. Without it, or on another channel, the message is under way already and may not wait for long.
   */
  send(notification: N, begin?: Begin): Promise<AttemptOutcome>
  /**
   * Asks the provider what became of an attempt whose outcome is missing: `not_found` where it does not have it, `unknown` where it cannot
   * say, `not_found` with an error where it never can.
   */
  lookUp(notification: N): Promise<AttemptOutcome>
}
