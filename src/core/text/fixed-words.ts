import type { Phrases } from './placeholders.ts'

/** What one language says: what an application may replace by its own texts, and what none may. */
export type LanguageTexts = { readonly phrases: Phrases; readonly fixed: FixedWords }

/** No application can change them. All but the spoken ones keep to the GSM 7-bit alphabet. */
export type FixedWords = {
  readonly drill: DrillWords
  readonly silent: SilentWords
  readonly linkless: LinklessWords
  readonly battery: BatteryWords
  /**
   * Behind the sentence of an alarm that names a device which is paired with nobody: the person in danger may not be
   * the one whose session sent it. rules.md#unknown-devices.
   */
  readonly unknownDevice: string
}

/** What a drill says in place of the alarm's own words: a drill that does not say so is an alarm. rules.md#drills. */
type DrillWords = {
  /** Begins every text, before anything else. */
  readonly prefix: string
  /** Ends a call, because the beginning of a call is often missed. */
  readonly spokenEnd: string
  /** In place of the age of the position. */
  readonly invented: string
  /** To those who were told. It may end because of a real SOS, which must not be mistaken for part of the exercise. */
  readonly over: string
  /** To chat. A failed exercise is no reason to call an emergency number. */
  readonly unanswered: string
}

/**
 * What a silent emergency says: `doNotCall` behind every text that asks to act, and in place of the texts that order to
 * call the person. One own text that says "call" may give a hiding person away. rules.md#silent-emergency.
 */
type SilentWords = Pick<Phrases, 'unanswered' | 'lastCall' | 'endedByUser' | 'closedAlone'> & {
  readonly doNotCall: string
}

/** In place of texts that ask to tap a link, where nobody could open it. rules.md#tracking-links. */
type LinklessWords = Pick<Phrases, 'checkIn' | 'answerStopped'> & {
  /** Before the person's number. */
  readonly number: string
}

/** A battery that is almost empty. `{age}` as positions have it. */
type BatteryWords = {
  readonly phone: string
  readonly tracker: string
  readonly spokenPhone: string
  readonly spokenTracker: string
}
