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
  /** The end: only whether it was cancelled or resolved. */
  readonly cancelled: (who: string) => string
  readonly resolved: (who: string) => string
  readonly nothingToDo: string
  readonly endedByUser: (who: string) => string
  readonly nobodyElseConfirmed: (who: string) => string
  readonly nobodyElseSilent: (who: string) => string
  readonly endedBy: (name: string) => string
  readonly theOperator: string
  readonly aContact: string
  /** `after`: for example `24 h`. */
  readonly closedAutomatically: (after: string) => string
  readonly nobodyConfirmedSafe: (who: string) => string
  readonly nobodyConfirmedSilent: (who: string) => string
  readonly answeredNotConfirmed: (names: string, who: string) => string
  /** Acknowledged, but everyone who had answered has withdrawn. */
  readonly nobodyHelps: string
  readonly buttonStill: string
  readonly whatHappensStill: string
  /** Above the choices of how long it takes to get there. */
  readonly comingIn: string
  /** The same on one of these choices, for screen readers. `time`: `10 min`. */
  readonly comingAfter: (time: string) => string
  readonly moreThan: (time: string) => string
  readonly calling: (who: string) => string
  readonly unable: string
  readonly whatHappens: (who: string) => string
  /** In a silent emergency, where nobody calls. */
  readonly whatHappensSilent: (who: string) => string
  /** Leads to the choices again after an answer. */
  readonly changeAnswer: string
  /** This contact's answer. `time`: of arrival, `14:35 CET`. */
  readonly youAreComing: (time: string) => string
  readonly youAreCalling: (who: string) => string
  readonly youCannot: string
  /** Under `youCannot`, while nobody helps. */
  readonly othersAlerted: string
  /** Answers of others. */
  readonly isComing: (name: string, time: string) => string
  readonly isCalling: (name: string) => string
  readonly isUnable: (name: string) => string
  readonly call: (who: string) => string
  readonly callEmergency: (number: string) => string
  readonly emergencyHint: (number: string) => string
  /** The number of a country where the person may be. */
  readonly emergencyIn: (country: string, number: string) => string
  /** Words for a call centre that may be in another country. `country`: or several. `place`: coordinates. */
  readonly tellThem: (who: string, country: string, place: string) => string
  readonly position: string
  /** The same before its age. */
  readonly positionAge: string
  readonly noPosition: string
  /** To a contact who was added during the alarm, in place of the position. */
  /** The button of a wrong number, what its page says then, and how to take it back. */
  readonly dontKnow: string
  readonly nothingMore: string
  readonly mistake: string
  /** To one who stopped messages by SMS. */
  readonly stopped: (who: string) => string
  readonly startAgain: string
  readonly placeWithheld: (who: string) => string
  /** To the contacts of the opening: the line, and the button for each contact who joined. */
  readonly contactsChanged: (who: string) => string
  readonly accountChanged: (who: string) => string
  readonly letSee: (name: string) => string
  /** Under the age of a position that is no longer fresh. */
  readonly oldPosition: string
  readonly readOut: string
  readonly copy: string
  readonly copied: string
  readonly directions: string
  readonly altitude: (metres: string) => string
  /** The accuracy of the position. */
  readonly accuracy: (metres: string) => string
  /** The name of the map, for screen readers, and of its buttons. */
  readonly map: string
  readonly zoomIn: string
  readonly zoomOut: string
  readonly phoneBattery: (percent: number) => string
  readonly trackerBattery: (range: 'critical' | 'low' | 'medium' | 'ok') => string
  /** `name`: the kind of network, `LTE`. */
  readonly phoneNetwork: (name: string) => string
  readonly trackerNetwork: (name: string) => string
  /** The talk with the person. */
  readonly talkTitle: (who: string) => string
  /** The owner of the phone, page or account that a line came from. */
  readonly talkFromPerson: (who: string) => string
  readonly talkFromContact: (name: string) => string
  readonly talkFromAnother: string
  readonly talkFromYou: string
  readonly talkFromDesk: (name: string) => string
  readonly talkBySms: string
  /** Under a line that says that the person is well. */
  readonly talkUnconfirmed: string
  readonly talkWrite: (who: string) => string
  readonly talkSend: string
  /** While a message is on its way, and while it cannot be sent. */
  readonly talkSaying: string
  readonly talkNotSaid: string
  readonly talkMayRead: (who: string) => string
  /** In a silent emergency. */
  readonly talkSilent: (who: string) => string
  readonly openMap: string
  readonly mapApp: string
  readonly pressedAt: string
  /** The time by which the person meant to report back, if a timer raised the alarm. */
  readonly dueAt: string
  /** The person's message to their contacts, written when setting the timer. */
  readonly note: string
  readonly pressedAgainAt: string
  readonly receivedAt: string
  readonly firstConfirmedAt: string
  readonly confirmedAt: (name: string) => string
  readonly youConfirmedAt: string
  readonly closedAt: string
  readonly asOf: (time: string) => string
  readonly renews: (seconds: number) => string
  readonly live: string
  readonly reload: string
  /** While an answer is on its way, and while it cannot be sent. */
  readonly sending: string
  readonly notSent: string
  /** The page hears nothing from the service. */
  readonly cutOff: string
  /** Follows the word for an exercise. */
  readonly noEmergency: string
  readonly inventedPosition: string
  readonly drillOver: string
  /** Under `drillOver`. A real SOS may have ended it. */
  readonly othersAreReal: string
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
