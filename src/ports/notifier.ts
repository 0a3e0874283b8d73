import type { ChatFormat } from '../core/account/actuator.ts'
import type { AttemptOutcome } from '../core/incident/command.ts'
import type { Purpose } from '../core/incident/delivery.ts'
import type { TextChannel } from '../core/incident/text-channels.ts'
import type { CallWords } from '../core/text/call-words.ts'

type Base = {
  readonly attemptId: string
  readonly incidentId: string
  /** Epoch ms of the claim: which try of this attempt it is, and since when a look-up has to search. */
  readonly claimedAt: number
  readonly timeoutMs: number
}

/**
 * What is to be sent, complete: a notifier looks nothing up. `attemptId` is stable over repeats of an unsure attempt.
 */
export type Notification =
  | TextNotification
  | (Base & { readonly channel: 'http'; readonly url: string; readonly body: unknown; readonly contactId: string })
  | (Base & { readonly channel: 'chat'; readonly url: string; readonly format: ChatFormat; readonly text: string })
  /** `occurrence`: which event of its type it is, from 1: a re-alarm is a message of its own, a retry is not. */
  | (Base & {
      readonly channel: 'webhook'
      readonly url: string
      readonly secret: string | null
      readonly body: unknown
      readonly occurrence: number
    })

/** An SMS or a call. */
export type TextNotification = Base & {
  readonly channel: 'sms' | 'voice'
  /** What it is for: an alarm, the word that it is over, or a test that an operator sends. */
  readonly purpose: Purpose | 'test'
  /**
   * The first message of its kind to this contact. Where a provider takes few a second, it goes before repeats of any
   * other.
   */
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
  /**
   * Ids that providers gave to other attempts of the incident: what a look-up finds under one of them is not this
   * message.
   */
  readonly otherRefs: readonly string[]
}

/** What a provider takes of one channel. */
export type Rate = {
  /** SMS segments, or calls. */
  readonly perSecond: number
  /** Requests that may be under way together. */
  readonly maxAtOnce: number
}

/**
 * One way to tell people. Sends one notification and looks one up; when, in which order and what comes after a failure
 * is decided above it (app/sending). Both functions settle with an outcome and never reject: an error is an outcome,
 * and one that leaves it open whether the message went out is `unknown`.
 */
export type Notifier<N = Notification> = {
  /** At once. */
  send(notification: N): Promise<AttemptOutcome>
  /**
   * Asks the provider about an attempt whose outcome is missing: `not_found` where it does not have it, `unknown` where
   * it cannot say, `not_found` with an error where it never can.
   */
  lookUp(notification: N): Promise<AttemptOutcome>
}

/** A notifier for SMS and calls: one of `notifications.providers`. */
export type Provider = Notifier<TextNotification> & {
  readonly name: string
  readonly channels: readonly TextChannel[]
  /** How fast each channel may be sent to; absent: as fast as messages come. */
  readonly rate?: Readonly<Record<TextChannel, Rate>>
}
