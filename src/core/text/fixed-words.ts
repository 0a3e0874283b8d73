import type { Phrases } from './placeholders.ts'

/** The texts of one language: those that an application may replace, and those that it may not. */
export type LanguageTexts = { readonly phrases: Phrases; readonly fixed: FixedWords }

/** Texts that no application can change. All but the spoken ones keep to the GSM 7-bit alphabet. */
export type FixedWords = {
  readonly drill: DrillWords
  readonly silent: SilentWords
  readonly linkless: LinklessWords
  readonly battery: BatteryWords
  readonly mail: MailWords
  /**
   * Follows the sentence of an alarm that names a device paired with nobody: the person in danger may not be the one
   * whose session sent it. devices.md#unknown-devices.
   */
  readonly unknownDevice: string
  readonly sms: SmsWords
}

/** Replaces the alarm's own words in a drill: a drill that does not say so is an alarm. preparing.md#drills. */
type DrillWords = {
  /** Begins every text, before anything else. */
  readonly prefix: string
  /** Ends a call, because the beginning of a call is often missed. */
  readonly spokenEnd: string
  /** Replaces the age of the position. */
  readonly invented: string
  /** To those who were told. A real SOS may end the drill, and must not be mistaken for part of it. */
  readonly over: string
  /** To chat. Nobody should call an emergency number over a failed drill. */
  readonly unanswered: string
}

/**
 * The words of a silent emergency. `doNotCall` follows every text that asks to act; the others replace texts that ask
 * to call the person. One own text that says "call" may give a hiding person away. rules.md#silent-emergency.
 */
type SilentWords = Pick<Phrases, 'unanswered' | 'lastCall' | 'endedByUser' | 'closedAlone'> & {
  readonly doNotCall: string
}

/** Replaces texts that ask to tap a link, if nobody could open it. rules.md#tracking-links. */
type LinklessWords = Pick<Phrases, 'checkIn' | 'answerStopped'> & {
  /** Before the person's number. */
  readonly number: string
}

/** To a user's own number: a code that proves it, and the answers to an SOS by SMS. sms.md#sms-sos. */
type SmsWords = {
  readonly phoneCode: string
  /** To the number that counted so far. */
  readonly replaced: string
  /** Somebody with one of the user's phones asks for it; it takes effect in so many hours, or at once (`…Left`). */
  readonly phoneLeaves: string
  readonly phoneLeft: string
  readonly trackerLeft: string
  readonly erasure: string
  readonly alerted: string
  /** While no contact is alarmed. */
  readonly desk: string
  readonly later: string
  /** The readers of the number's further texts. */
  readonly read: string
  readonly notYou: string
  readonly ended: string
  /** The person has pressed in the app as well. */
  readonly goesOn: string
  /** Behind the name of an operator who writes to the person. */
  readonly fromDesk: string
  readonly stopped: string
  readonly started: string
}

/** The end of every mail to a contact. */
type MailWords = { readonly sender: string; readonly noReply: string }

/** An almost empty battery. `{age}` as in positions. */
type BatteryWords = {
  readonly phone: string
  readonly tracker: string
  readonly spokenPhone: string
  readonly spokenTracker: string
}
