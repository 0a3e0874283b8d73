import type { ChatFormat } from '../core/account/actuator.ts'
import type { AttemptOutcome } from '../core/incident/command.ts'
import type { Purpose, TextChannel } from '../core/incident/delivery.ts'
import type { Drill } from '../core/incident/incident.ts'
import type { Rate } from '../core/pacing/account.ts'
import type { CallWords } from '../core/text/placeholders.ts'

type Base = {
  readonly attemptId: string
  readonly incidentId: string
  /** Epoch ms of the claim: identifies the try of this attempt, and is where a look-up starts searching. */
  readonly claimedAt: number
  readonly timeoutMs: number
  /**
   * Milliseconds for which it may still be handed over, asked right before the first byte leaves; at 0 nothing may
   * leave, and a request in flight is ended: with the lease of its claim, or the time that all providers have together.
   * Absent where there is neither.
   */
  readonly leftMs?: (() => number) | undefined
}

/**
 * A complete message to send: a notifier loads nothing. `attemptId` stays the same when an attempt of unknown outcome
 * is repeated.
 */
export type Notification =
  | TextNotification
  | MailNotification
  | (Base & { readonly channel: 'http'; readonly url: string; readonly body: unknown; readonly contactId: string })
  | (Base & { readonly channel: 'chat'; readonly url: string; readonly format: ChatFormat; readonly text: string })
  /** `occurrence`: number of the event within its type, from 1. A re-alarm is a new event, a retry is not. */
  | (Base & {
      readonly channel: 'webhook'
      readonly url: string
      readonly secret: string | null
      readonly body: unknown
      readonly occurrence: number
    })

/** A mail to a contact. `subject`: one line. `language`: BCP 47, of the text. */
export type MailNotification = Base & {
  readonly channel: 'email'
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly language: string
}

/** An SMS or a call. */
export type TextNotification = Base & {
  readonly channel: 'sms' | 'voice'
  /** Of the canary: it goes to the outbox, whatever the providers are. */
  readonly isCanary?: true
  /**
   * An alarm, other news, an all-clear, an operator's test, a reminder of a timer, or the question to a contact whether
   * they agree.
   */
  readonly purpose: Purpose | 'test' | 'reminder' | 'verification'
  /** The first message of its kind to this contact. At a rate-limited provider it goes before repeats of any other. */
  readonly first: boolean
  readonly contactId: string
  /** E.164. */
  readonly to: string
  readonly text: string
  /** BCP 47: the language of the text, for the voice. */
  readonly language: string
  /** The words of a call besides the text. Absent: the built-in phrases of the language. */
  readonly words?: CallWords
  /** The secret part of the tracking link in the text, which identifies a sent message at the provider. */
  readonly token: string
  /** A call that is made only if the number is of this country or the user's contact with it has confirmed. */
  readonly unconfirmedOnlyIn?: { readonly country: string; readonly userId: string }
  /** The number matches none of the application's country prefixes. The message is sent anyway. */
  readonly outsidePrefixes: boolean
  /**
   * The text with a code by which its reader may answer, for a provider that gets answers. Absent where it asks for no
   * answer.
   */
  readonly answerable?: (code: string) => string
  /** How long contacts have to acknowledge. A message that waits longer for its turn is late. */
  readonly ackTimeoutMs: number
  /** The provider that took it, and the provider's id for the message, if known. For look-ups. */
  readonly provider: string | null
  readonly providerRef: string | null
  /**
   * Ids that providers gave to other attempts of the incident. A look-up that finds one of them has not found this
   * message.
   */
  readonly otherRefs: readonly string[]
  /** Set for an exercise. */
  readonly drill?: Drill
}

/**
 * One way to notify people: sends one notification, and looks one up. Time, order and the consequences of a failure are
 * decided above it (app/sending). Both functions settle with an outcome and never reject: an error is an outcome, and
 * one that leaves it open whether the message went out is `unknown`.
 */
export type Notifier<N = Notification> = {
  /** Sends immediately. */
  send(notification: N): Promise<AttemptOutcome>
  /**
   * Asks the provider about an attempt whose outcome is missing: `not_found` if the provider does not have it,
   * `unknown` if it cannot say now, `not_found` with an error if it never can.
   */
  lookUp(notification: N): Promise<AttemptOutcome>
}

/**
 * `account`: the name of the provider's account that has the rate, the same on every node. Never a secret. `ahead`: how
 * many messages beyond `maxAtOnce` the provider takes while its connections are busy, so that no connection waits for a
 * claim.
 */
type AccountRate = Rate & { readonly account?: string; readonly ahead?: number }

/** A notifier for SMS and calls, one of `notifications.providers`. */
export type Provider = Notifier<TextNotification> & {
  readonly name: string
  readonly channels: readonly TextChannel[]
  /** The maximum rate per channel. Absent: unlimited. */
  readonly rate?: Readonly<Record<TextChannel, AccountRate>>
  /** How long it may take for one message, where that is longer than the notification's `timeoutMs`. */
  readonly patienceMs?: number
}
