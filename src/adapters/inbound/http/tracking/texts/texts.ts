import type { Language } from '../../../../../core/text/phrases.ts'

/** All texts of the tracking pages; one file per language. */
export type TrackingTexts = {
  /** Also the page's `lang`. */
  readonly language: Language
  /** Stands in for a name without any readable character. */
  readonly somebody: string
  readonly needsHelp: (who: string) => string
  readonly nobodyYet: string
  /** `names`: a list in words; `count`: the number of names. */
  readonly confirmedBy: (names: string, count: number) => string
  /** For an answer without a name: from the operator, by the command line. */
  readonly somebodyElse: string
  readonly alarmAgain: string
  /** For a contact who has not answered, after others had answered and the alarm was raised again. */
  readonly alarmAgainAfter: (names: string) => string
  readonly thanks: string
  readonly youConfirmed: (who: string) => string
  readonly areYouStill: (who: string) => string
  /** How it ended: only whether it was cancelled or resolved. */
  readonly cancelled: (who: string) => string
  readonly resolved: (who: string) => string
  readonly nothingToDo: string
  readonly endedByUser: (who: string) => string
  readonly nobodyElseConfirmed: (who: string) => string
  readonly endedBy: (name: string) => string
  readonly theOperator: string
  readonly aContact: string
  /** `after`: for example `24 h`. */
  readonly closedAutomatically: (after: string) => string
  readonly nobodyConfirmedSafe: (who: string) => string
  readonly answeredNotConfirmed: (names: string, who: string) => string
  readonly button: string
  readonly buttonStill: string
  readonly whatHappens: (who: string) => string
  readonly whatHappensStill: string
  readonly call: (who: string) => string
  readonly callEmergency: (number: string) => string
  readonly emergencyHint: (number: string) => string
  readonly position: string
  readonly noPosition: string
  readonly altitude: (metres: string) => string
  readonly openMap: string
  readonly mapApp: string
  readonly pressedAt: string
  readonly pressedAgainAt: string
  readonly receivedAt: string
  readonly firstConfirmedAt: string
  readonly confirmedAt: (name: string) => string
  readonly youConfirmedAt: string
  readonly closedAt: string
  readonly asOf: (time: string) => string
  readonly renews: (seconds: number) => string
  readonly reload: string
  readonly unknownTitle: string
  readonly unknownText: string
  readonly expiredTitle: string
  readonly expiredText: string
  readonly failedTitle: string
  readonly failedText: string
  readonly backTitle: string
  readonly backText: string
  readonly toPage: string
}
