import type { Language } from '../../../../../core/text/phrases.ts'

/** Every text of the tracking pages; one file a language. */
export type TrackingTexts = {
  /** Also the page's `lang`. */
  readonly language: Language
  /** Stands for a name that has nothing readable in it. */
  readonly somebody: string
  readonly needsHelp: (who: string) => string
  readonly nobodyYet: string
  /** `names`: a list in words; `count`: how many they are. */
  readonly confirmedBy: (names: string, count: number) => string
  /** Where nobody says who it was: the operator, by the command line. */
  readonly somebodyElse: string
  readonly alarmAgain: string
  /** To a contact who has not answered, where others had before the alarm was raised again. */
  readonly alarmAgainAfter: (names: string) => string
  readonly thanks: string
  readonly youConfirmed: (who: string) => string
  readonly areYouStill: (who: string) => string
  /** How it ended: known to have been cancelled or resolved, and no more. */
  readonly cancelled: (who: string) => string
  readonly resolved: (who: string) => string
  readonly nothingToDo: string
  readonly endedByUser: (who: string) => string
  readonly nobodyElseConfirmed: (who: string) => string
  readonly endedBy: (name: string) => string
  readonly theOperator: string
  readonly aContact: string
  /** `after`: such as `24 h`. */
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
