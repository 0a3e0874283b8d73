import type { Alert } from '../ingest/alert.ts'
import type { EventTime } from '../ingest/event-time.ts'
import type { Position } from '../ingest/position.ts'
import type { PlannedContact } from './alarm-plan.ts'
import { type DeliveryStatus, type Lease, NO_ANSWER } from './delivery.ts'
import type { DownlinkKind, DownlinkRoute, DownlinkStep } from './downlink.ts'
import type { End } from './end.ts'
import type { Closing, EndRemark, Few, HeadState, HelpPromise, Major, Overdue, Stop } from './incident.ts'

/**
 * A request to the write door. It is plain data that includes the time (epoch ms) and every new id, so that a run
 * can be replayed and the door can move to another thread or machine.
 */
export type Command =
  | {
      readonly type: 'raise'
      readonly now: number
      readonly alert: Alert
      /** The user who published it; a relay if that is not the owner. */
      readonly reporterId: string
      /** Whether the tracker sent it itself: through a network server, or with its own token. */
      readonly byDevice?: boolean
      /** Id and link secret for the incident, in case this alert opens one. */
      readonly incidentId: string
      readonly linkSecret: string
      /** The LoRaWAN tracker that sent it, if downlinks can reach it. */
      readonly downlink?: DownlinkRoute
      /**
       * A text raised it. `from`: its sender. Unless it has the user's code, it counts as another user's. `later`:
       * contacts are alarmed after board and fallback contact. sms.md#sms-sos.
       */
      readonly bySms?: { readonly from: string; readonly isCoded: boolean; readonly later?: true }
      /** The device is nobody's: no user may be looked up by it. */
      readonly ofNobody?: true
      /**
       * Most likely nobody pressed: an incident that it opens alarms only a few people, and an open one continues
       * unchanged.
       */
      readonly few?: Few
      /** An operator raises the alarm that was put off, like another press and at once. rules.md#put-off. */
      readonly alarmNow?: true
      /**
       * A timer ran out, so this is never a repeat of a press. `place`: the user's last known position, for the trail.
       */
      readonly overdue?: Overdue & { readonly place: { readonly at: EventTime; readonly position: Position } | null }
    }
  /**
   * An operator starts a drill. `alert`: synthetic, like its position. `sparesFallback`: the fallback contact's phone
   * has rung for enough drills. `isOwn`: the user starts it, so chat and webhook hear nothing. preparing.md#drills.
   */
  | {
      readonly type: 'drill'
      readonly now: number
      readonly alert: Alert
      readonly incidentId: string
      readonly linkSecret: string
      readonly toContacts: boolean
      readonly sparesFallback?: boolean
      readonly isOwn?: true
    }
  /**
   * Ends the put-off: a press opened another incident of the user, or (`byUser`) the user has ended it.
   * rules.md#put-off.
   */
  | { readonly type: 'endPutOff'; readonly now: number; readonly byUser?: true }
  /** A press opened an incident of the same user, which ends their drill. preparing.md#drills. */
  | { readonly type: 'overtake'; readonly now: number }
  /**
   * An answer by a contact or, if `contactId` is null, by the operator: as `name` and, with an account, `operatorId`.
   * `promise`: how a contact will help. `isBare`: by SMS without the code, so it may come from a forged number.
   */
  | {
      readonly type: 'acknowledge'
      readonly now: number
      readonly contactId: string | null
      readonly name?: string
      readonly operatorId?: string
      readonly promise?: HelpPromise
      readonly isBare?: true
      /** The newest alert that the operator has seen (its arrival): if a later one has come, nothing changes. */
      readonly knownAlertAt?: number
    }
  /**
   * A contact can't help, or the operator who answered (`contactId` null) takes the answer back. rules.md#responses.
   */
  | { readonly type: 'decline'; readonly now: number; readonly contactId: string | null; readonly operatorId?: string }
  /**
   * An operator takes the incident over. `from`: the operator who has it, as far as the new one knows; null: someone
   * without an account. `agreed`: both wanted it. access.md#shifts.
   */
  | {
      readonly type: 'takeOver'
      readonly now: number
      readonly operatorId: string
      readonly name: string
      readonly from: string | null
      readonly agreed?: true
    }
  /**
   * The last session of the operator in charge has ended. `isAlone`: nobody is on shift for the incident.
   * access.md#shifts.
   */
  | { readonly type: 'leave'; readonly now: number; readonly operatorId: string; readonly isAlone: boolean }
  /** An operator has opened it on a screen, which assigns nothing and stops nothing. rules.md#standing. */
  | {
      readonly type: 'see'
      readonly now: number
      readonly name: string
      /** The newest message of the person or a contact. */
      readonly heardAt?: number
      readonly knownAlertAt?: number
    }
  /**
   * An operator notes its part in a major incident. `major` null: in none. `from`: the one that the screen showed it
   * in, if it is another. `assignedTo` and `head`: absent as before, null takes it back. rules.md#major.
   */
  | {
      readonly type: 'mark'
      readonly now: number
      readonly name: string
      readonly major: Pick<Major, 'id' | 'startedAt'> | null
      readonly from?: string | null
      readonly assignedTo?: string | null
      readonly head?: HeadState | null
      /** The newest alert that the operator has seen (its arrival): if a later one has come, nothing changes. */
      readonly knownAlertAt?: number
    }
  /** An operator resends the alarm to one contact. rules.md#resend. */
  | { readonly type: 'resend'; readonly now: number; readonly contactId: string }
  /**
   * `by`: the party that ends it; absent means the user. `name`: the operator's name, if known. `end`: the alarm that
   * the user means; absent: the incident of the key. rules.md#ends. `remark`: the operator's remark. rules.md#closing.
   */
  | {
      readonly type: 'cancel' | 'resolve'
      readonly now: number
      readonly by?: Closing['by']
      readonly name?: string
      readonly end?: End
      readonly remark?: EndRemark
      /** The newest alert that the operator has seen (its arrival): if a later one has come, nothing changes. */
      readonly knownAlertAt?: number
      /** From the list of a major incident: only if that allows it. rules.md#major. */
      readonly counted?: CountedEnd
    }
  /**
   * A contact was added or corrected, which applies to every attempt that has not begun. `bySession`: by the user's own
   * session. `byOperator`: an operator has corrected a contact of the user; neither: the fallback contact.
   * rules.md#corrections.
   */
  | {
      readonly type: 'addContact' | 'updateContact'
      readonly now: number
      readonly contact: PlannedContact
      readonly bySession?: true
      readonly byOperator?: true
    }
  /** The user's own session, or an operator, has removed a contact. */
  | { readonly type: 'removeContact'; readonly now: number; readonly contactId: string; readonly byOperator?: true }
  /** The user's own session changes name, number or devices. `who`: the name until now. */
  | { readonly type: 'changeAccount'; readonly now: number; readonly who: string }
  /** A contact stops all messages of this incident, or (`start`) lifts the stop. sms.md#wrong-number. */
  | { readonly type: 'stop'; readonly now: number; readonly contactId: string; readonly how: Stop['how'] }
  | { readonly type: 'start'; readonly now: number; readonly contactId: string }
  /** Shows the position to a contact who joined. `by`: the original contact who allows it; null: an operator. */
  | {
      readonly type: 'showPosition'
      readonly now: number
      readonly contactId: string
      readonly by: string | null
      readonly name?: string
    }
  /**
   * Do all due work. `inFlight`: attempts that this process is sending right now, so that they do not count as
   * abandoned. `turns`: attempts that may leave now if they are still wanted, while other due attempts wait their turn;
   * absent: all may leave. `node`: absent if only one process can send. `isPatient`: if others are changing the
   * incident, wait a few seconds for them instead of giving up.
   */
  | {
      readonly type: 'proceed'
      readonly now: number
      readonly inFlight: readonly string[]
      readonly turns?: readonly string[]
      readonly node?: SendingNode
      readonly isPatient?: true
    }
  | {
      readonly type: 'recordOutcome'
      readonly now: number
      readonly attemptId: string
      readonly outcome: AttemptOutcome
      /** 0 to 1, drawn by the caller: spreads retries of HTTP deliveries by ± 20 %. */
      readonly jitter: number
      /**
       * The earlier tries of the attempt as claimed: they tell this try from a later one if the outcome arrives twice.
       */
      readonly earlierTries: number
      /** The lease under which the attempt was sent or looked up. Absent if only one process can send. */
      readonly lease?: Lease
    }
  | { readonly type: 'recordReceipt'; readonly now: number; readonly attemptId: string; readonly receipt: Receipt }
  /** The next step of a message to the tracker. devices.md#downlinks. */
  | { readonly type: 'downlink'; readonly now: number; readonly kind: DownlinkKind; readonly step: DownlinkStep }
  /** The wall clock was set by `byMs`. Deadlines keep their distance from now. */
  | { readonly type: 'shiftDeadlines'; readonly now: number; readonly byMs: number }
  /**
   * The clock is not trusted at this start. Deadlines keep their distance from `from`, the newest stored moment.
   * keeping.md#clock.
   */
  | { readonly type: 'reckonAnew'; readonly now: number; readonly from: number }
  /**
   * The incident came with a restored file. Holds it if it is open, and skips attempts overdue by more than an hour.
   * keeping.md#restore.
   */
  | { readonly type: 'restore'; readonly now: number }
  /** The operator resumes an incident that came with a restored file. keeping.md#restore. */
  | { readonly type: 'resume'; readonly now: number }

/** An end for a person of a major incident, from its list. `operatorId`: who ends it. */
export type CountedEnd = { readonly majorId: string; readonly operatorId: string | null }

/** The clock commands, which move everything that has a deadline. */
export type ClockCommand = Extract<Command, { type: 'shiftDeadlines' | 'reckonAnew' }>

/**
 * One of several nodes that send. `others`: the leases of the other living nodes. `settleMs`: how long after a claim a
 * request of a vanished node may still reach the provider. `isDraining`: the node claims nothing more and only looks up
 * its own claims.
 */
export type SendingNode = {
  readonly lease: Lease
  readonly others: readonly Lease[]
  readonly settleMs: number
  readonly isDraining?: true
}

/** How one attempt ended, as the notifier saw it. */
export type AttemptOutcome =
  /** `askAfterMs`: how long to wait for a receipt before asking the provider. Absent if the provider has no look-up. */
  | {
      readonly kind: 'sent' | 'delivered'
      readonly provider: string
      readonly providerRef: string | null
      readonly askAfterMs?: number
    }
  /**
   * `retryable`: the same attempt may succeed later. `retryAfterMs`: the wait that the provider asked for. `error`: one
   * of the short, stable texts of rules.md#failure-texts. `isFinalForOne`: one of several providers will never take it,
   * though another may. `mayHaveArrived`: an earlier provider may have taken it and cannot be asked.
   */
  | {
      readonly kind: 'failed'
      readonly error: string
      readonly retryable: boolean
      readonly retryAfterMs?: number
      readonly isFinalForOne?: boolean
      readonly mayHaveArrived?: true
    }
  /** The target no longer exists: the actuator was removed. */
  | { readonly kind: 'no_target' }
  /**
   * The provider may or may not have taken it. It is looked up after the quiet time. `refused`: the failure text of the
   * provider's 5xx, if it answered at all.
   */
  | { readonly kind: 'unknown'; readonly refused?: string }
  /**
   * The attempt is repeated once. Without `error`, the provider was asked and does not have it. With `error` (the
   * failure text of the attempt), the outcome is unknown: it may have been sent.
   */
  | { readonly kind: 'not_found'; readonly error?: string }

/** Of a look-up where nobody can be asked. */
export const CANNOT_BE_ASKED: AttemptOutcome = { kind: 'not_found', error: NO_ANSWER }

/** A provider's later report. rules.md#outcomes. */
export type Receipt = {
  readonly status: Exclude<DeliveryStatus, 'scheduled' | 'skipped'>
  readonly provider: string
  readonly providerRef: string | null
  /** Set if `status` is `failed`. */
  readonly error: string | null
}
