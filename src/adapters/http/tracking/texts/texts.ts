/** Every text of the tracking pages; one file a language. */
export type TrackingTexts = {
  /** For dates and numbers; also the page's `lang`. */
  readonly locale: string
  /** Stands for a name that has nothing readable in it. */
  readonly somebody: string
  readonly needsHelp: (who: string) => string
  readonly nobodyYet: string
  readonly somebodyElse: string
  readonly alarmAgain: string
  readonly thanks: string
  readonly youConfirmed: (who: string) => string
  readonly cancelled: (who: string) => string
  readonly resolved: (who: string) => string
  readonly nothingToDo: string
  readonly button: string
  readonly whatHappens: (who: string) => string
  readonly cannotHelp: string
  readonly position: string
  readonly noPosition: string
  readonly altitude: (metres: string) => string
  readonly mapApp: string
  readonly pressedAt: string
  readonly receivedAt: string
  readonly firstConfirmedAt: string
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
