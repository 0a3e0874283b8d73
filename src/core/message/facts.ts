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
  /** The person's number, E.164, for readers who get no link because nobody could open it. */
  readonly phone?: string
  readonly position: Position | null
  /** The reader may not see where the person is: nothing is said of it. rules.md#position-access. */
  readonly isPlaceWithheld?: boolean
  /** Others that may be right as well, the next one first: given with their sources. rules.md#positions. */
  readonly otherPlaces?: readonly Position[]
  /** The tracker through which another user has raised the alarm, nobody else. rules.md#relays. */
  readonly raisedThrough?: string | null
  /** The application's map, with `{lat}` and `{lon}`. Absent or null: the built-in one. */
  readonly mapLink?: string | null
  /** Said in alarms. Absent or null: no battery is almost empty, as far as is known. */
  readonly battery?: LowBattery | null
  readonly pressedAt: number
  readonly receivedAt: number
  readonly now: number
  /** For a re-alarm: the press that triggered it, whose time the message gives. */
  readonly again: { readonly pressedAt: number; readonly receivedAt: number } | null
  /** Set if a timer ran out and nobody pressed. `dueAt`: by when the person meant to have reported back. */
  readonly overdue?: { readonly dueAt: number; readonly note: string | null } | null
  /**
   * Set if the others are alarmed because the helper fell silent or withdrew, or (`isAlone`) is the only one who ever
   * answers. `name` is null if contacts do not know it.
   */
  readonly lostHelper: {
    readonly name: string | null
    readonly hasWithdrawn: boolean
    readonly isAlone?: boolean
  } | null
  /** Who has answered so far, for the news of an answer and for closings. */
  readonly answeredBy: string | null
  /** When the incident closes automatically, for `last_call`. */
  readonly endsAt: number | null
  readonly closing: ClosingFacts | null
  /** How somebody helps, for those who have not answered. Absent or null: in a way that they did not say. */
  readonly help?: HelpPromise | null
  /** By which this contact may answer by SMS. Absent where nobody would get the answer. */
  readonly answerCode?: string
  /** An exercise: its text says so first, and its position is invented. rules.md#drills. */
  readonly isDrill?: boolean
  /** The newest device that an alert named and nobody has paired. rules.md#unknown-devices. */
  readonly unknownDevice?: string | null
  /** A silent emergency: nobody is told to call the person. rules.md#silent-emergency. */
  readonly isSilent?: boolean
}
