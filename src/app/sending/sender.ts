import { type AttemptOutcome, CANNOT_BE_ASKED } from '../../core/incident/command.ts'
import { type Channel, type Delivery, NO_MAIL_SERVER } from '../../core/incident/delivery.ts'
import { staysHere } from '../../core/incident/drill-shown.ts'
import type { MailNotification, Notification, Notifier, TextNotification } from '../../ports/notifier.ts'
import type { DrillLanes } from './drill-lanes.ts'
import type { Lane, Turn } from './lane.ts'

/** The dispatcher's way to send: all notifiers, with their lanes. */
export type Sender = {
  /** How many times `timeoutMs` the providers tried in sequence may take. Absent: once. */
  readonly inTurn?: number
  /** The lane in which an attempt waits for its turn. Null: it need not wait. Absent: no alarm ever does. */
  readonly laneFor?: ((row: Pick<Delivery, 'id' | 'channel'>, now: number) => Lane | null) | undefined
  /** The lane in which an attempt of a drill waits if `laneFor` has none. Absent: it need not wait. */
  drillLaneFor?(channel: Channel): Lane
  /** `turn`: from the lane in which the attempt waited, if there was one. Never rejects. */
  send(notification: Notification, turn?: Turn | null): Promise<AttemptOutcome>
  /** As `Notifier.lookUp`. */
  lookUp(notification: Notification): Promise<AttemptOutcome>
}

/** The part for SMS and calls, which share their providers. */
export type TextSender = Required<Pick<Sender, 'inTurn'>> & {
  laneFor?: Sender['laneFor']
  send(text: TextNotification, turn?: Turn | null): Promise<AttemptOutcome>
  lookUp(text: TextNotification): Promise<AttemptOutcome>
}

/** The part for mails to contacts. */
export type MailWay = {
  /** In which every mail of an incident waits for its turn: it shares nothing with texts and calls. */
  readonly lane: Lane
  /** No mail has come here yet, so nothing has to be read for its turn. */
  readonly isIdle?: boolean
  send(mail: MailNotification, turn?: Turn | null): Promise<AttemptOutcome>
  lookUp(mail: MailNotification): Promise<AttemptOutcome>
}

type On<C extends Notification['channel']> = Notifier<Extract<Notification, { channel: C }>>

/**
 * Hands every notification to the notifier of its channel. Texts and calls of a drill that stays here go to the outbox,
 * whatever the providers are. preparing.md#drills.
 */
export function createSender(needs: {
  readonly text: TextSender
  /** Takes the messages of the canary, and of drills without `--contacts`. */
  readonly outbox: Notifier<TextNotification>
  readonly http: On<'http'>
  readonly chat: On<'chat'>
  readonly webhook: On<'webhook'>
  /** Asked each time: the server may be replaced. Absent or null: nobody sends mails. */
  readonly mail?: () => MailWay | null
  /** Absent if nothing is sent for incidents. */
  readonly drills?: DrillLanes
  /** The outcome of a call that must not be made, an exercise's too; null: it may leave. Absent: all may. */
  readonly refused?: (call: TextNotification) => Promise<AttemptOutcome | null>
}): Sender {
  const { text, outbox, http, chat, webhook, mail = () => null, drills, refused } = needs
  const at = (notification: Notification): Bound => {
    switch (notification.channel) {
      case 'sms':
      case 'voice':
        return bound(notification.isCanary || staysHere(notification) ? outbox : text, notification)
      case 'http':
        return bound(http, notification)
      case 'chat':
        return bound(chat, notification)
      case 'webhook':
        return bound(webhook, notification)
      case 'email':
        return bound(mail() ?? NO_MAIL, notification)
      default:
        return notification satisfies never
    }
  }
  const hasMailLane = (): boolean => {
    const way = mail()
    return way !== null && way.isIdle !== true
  }
  const laneFor: NonNullable<Sender['laneFor']> = (row, now) =>
    row.channel === 'email' ? (mail()?.lane ?? null) : (text.laneFor?.(row, now) ?? null)
  return {
    // The providers of texts may be replaced.
    get inTurn() {
      return text.inTurn
    },
    get laneFor() {
      return text.laneFor || hasMailLane() ? laneFor : undefined
    },
    ...(drills && { drillLaneFor: (channel) => drills.laneFor(channel) }),
    send(notification, turn = null) {
      const send = async () => {
        const isCall = notification.channel === 'voice' && refused !== undefined
        return (isCall ? await refused(notification) : null) ?? at(notification).send(turn)
      }
      return drills === undefined ? send() : drills.spending(turn, send)
    },
    lookUp: (notification) => at(notification).lookUp(),
  }
}

/** For a site without a mail server. */
export const NO_MAIL: Pick<MailWay, 'send' | 'lookUp'> = {
  send: async () => ({ kind: 'failed', error: NO_MAIL_SERVER, retryable: true }),
  lookUp: async () => CANNOT_BE_ASKED,
}

/** The operations on one notification, at the notifier of its channel. */
type Bound = {
  send(turn?: Turn | null): Promise<AttemptOutcome>
  lookUp(): Promise<AttemptOutcome>
}

const bound = <N extends Notification>(
  notifier: {
    send(notification: N, turn?: Turn | null): Promise<AttemptOutcome>
    lookUp(notification: N): Promise<AttemptOutcome>
  },
  notification: N,
): Bound => ({
  send: (turn) => notifier.send(notification, turn),
  lookUp: () => notifier.lookUp(notification),
})
