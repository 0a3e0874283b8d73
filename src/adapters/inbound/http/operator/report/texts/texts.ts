import type { Channel, DeliveryStatus, Purpose } from '../../../../../../core/incident/delivery.ts'
import type { EndOutcome, HeadState } from '../../../../../../core/incident/incident.ts'
import type { TalkChannel } from '../../../../../../core/incident/talk.ts'
import type { Language } from '../../../../../../core/text/phrases.ts'

/** The words of a printed report. */
export type ReportTexts = {
  readonly language: Language
  readonly report: string
  readonly person: string
  readonly phone: string
  readonly email: string
  readonly address: string
  readonly externalId: string
  readonly application: string
  readonly incident: string
  readonly status: string
  readonly pressed: string
  readonly dueAt: string
  readonly timerRanOut: string
  readonly received: string
  /** `delay`: such as 2 h 30 min. */
  readonly afterPress: (delay: string) => string
  /** The sign of a day in a length of time. */
  readonly day: string
  readonly closed: string
  readonly outcome: string
  readonly outcomes: Readonly<Record<EndOutcome, string>>
  /** Its part in a major incident, and the head count. */
  readonly major: string
  readonly since: (time: string) => string
  readonly heads: Readonly<Record<HeadState, string>>
  readonly position: string
  readonly noPosition: string
  readonly altitude: (metres: string) => string
  readonly contacts: string
  readonly noContacts: string
  readonly name: string
  readonly answer: string
  readonly messages: string
  readonly noAnswer: string
  readonly timeline: string
  readonly time: string
  readonly event: string
  /** The messages of person, contacts and operators. */
  readonly talk: string
  readonly from: string
  readonly message: string
  readonly deskOnly: string
  readonly talkChannels: Readonly<Record<TalkChannel, string>>
  readonly unconfirmed: string
  readonly trail: string
  readonly place: string
  readonly madeBy: (name: string, time: string) => string
  readonly statuses: Readonly<Record<'active' | 'acknowledged' | 'cancelled' | 'resolved', string>>
  readonly deliveries: Readonly<Record<DeliveryStatus, string>>
  /** In place of `failed`. */
  readonly mayHaveArrived: string
  readonly channels: Readonly<Record<Channel, string>>
  readonly purposes: Readonly<Record<Purpose, string>>
  readonly helping: string
  readonly coming: (minutes: number) => string
  readonly calling: string
  readonly unable: string
  readonly pressedAgain: string
  readonly relayed: string
  /** Actions of operators, by the last part of their name. Others are shown by their name. */
  readonly actions: Readonly<
    Record<
      | 'seen'
      | 'major'
      | 'take'
      | 'untake'
      | 'take_over'
      | 'left'
      | 'resolve'
      | 'resume'
      | 'resend'
      | 'alarm_now'
      | 'show_position'
      | 'person_changed'
      | 'contact_added'
      | 'contact_changed'
      | 'contact_removed'
      | 'contacts_reordered',
      string
    >
  >
  readonly note: string
  readonly calledBack: string
  readonly endedBy: Readonly<Record<'user' | 'operator' | 'contact' | 'system', string>>
}
