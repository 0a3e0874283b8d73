import type { LowBattery } from '../incident/battery.ts'
import type { HelpPromise } from '../incident/incident.ts'
import type { Position } from '../ingest/position.ts'
import type { ClosingFacts } from './closing-text.ts'

/** The facts behind a message. Times are epoch milliseconds. Names are passed as stored and are made safe here. */
export type Facts = {
  /** The user's name in messages. */
  readonly who: string
  /** The application's name: the default SMS says "via {app}". */
  readonly app: string
  /** IANA: the zone in which times are shown. */
  readonly timeZone: string
  /** This contact's tracking link. Null for readers without one (chat). */
  readonly trackingUrl: string | null
  /** The person's number, E.164, for readers without a link because nobody could open it. */
  readonly phone?: string
  readonly position: Position | null
  /** Whether the reader may not see the position: the message does not mention it. rules.md#position-access. */
  readonly isPlaceWithheld?: boolean
  /** Other positions that may be right as well, the most likely first: given with their sources. rules.md#positions. */
  readonly otherPlaces?: readonly Position[]
  /** The tracker through which another user raised the alarm, if nobody else did. rules.md#relays. */
  readonly raisedThrough?: string | null
  /** The application's map, with `{lat}` and `{lon}`. Absent or null: the built-in one. */
  readonly mapLink?: string | null
  /** The almost empty battery that alarms mention. Absent or null: none is known to be low. */
  readonly battery?: LowBattery | null
  readonly pressedAt: number
  readonly receivedAt: number
  readonly now: number
  /** For a re-alarm: the press that triggered it, whose time the message states. */
  readonly again: { readonly pressedAt: number; readonly receivedAt: number } | null
  /** Set if a timer ran out and nobody pressed. `dueAt`: when the person was to have reported back. */
  readonly overdue?: { readonly dueAt: number; readonly note: string | null } | null
  /**
   * Set if the others are alarmed because the helper fell silent or withdrew, or (`isAlone`) is the only one who ever
   * answers. `name` is null if contacts must not learn it.
   */
  readonly lostHelper: {
    readonly name: string | null
    readonly hasWithdrawn: boolean
    readonly isAlone?: boolean
  } | null
  /** The last person to have answered, for the news of an answer and for closings. */
  readonly answeredBy: string | null
  /** When the incident closes automatically, for `last_call`. */
  readonly endsAt: number | null
  readonly closing: ClosingFacts | null
  /** How somebody helps, for those who have not answered. Absent or null: the helper did not say. */
  readonly help?: HelpPromise | null
  /** The code with which this contact may answer by SMS. Absent if no answer could be received. */
  readonly answerCode?: string
  /** Whether it is a drill: the text says so first, and its position is made up. preparing.md#drills. */
  readonly isDrill?: boolean
  /** The newest device named by an alert that nobody has paired. devices.md#unknown-devices. */
  readonly unknownDevice?: string | null
  /** Whether it is a silent emergency: nobody is told to call the person. rules.md#silent-emergency. */
  readonly isSilent?: boolean
}
