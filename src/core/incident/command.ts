import type { Alert } from '../ingest/alert.ts'
import type { EventTime } from '../ingest/event-time.ts'
import type { Position } from '../ingest/position.ts'
import type { DeliveryStatus, Lease } from './delivery.ts'
import type { DownlinkKind, DownlinkRoute, DownlinkStep } from './downlink.ts'
import type { End } from './end.ts'
import type { Closing, EndRemark, Few, HelpPromise, Overdue, PlannedContact, Stop } from './incident.ts'

/**
 * A request to the write door. Plain data that includes the time (epoch ms) and every new id, so that a run can be
 * replayed and the door can move to another thread or machine.
 */
export type Command =
  | {
      readonly type: 'raise'
      readonly now: number
      readonly alert: Alert
      /** The user who published it. If that is not the owner, it is a relay. */
      readonly reporterId: string
      /** The tracker sent it itself: by a network server, or with its own token. */
      readonly byDevice?: boolean
      /** Id and link secret for the incident, in case this alert opens one. */
      readonly incidentId: string
      readonly linkSecret: string
      /** The LoRaWAN tracker that sent it, if it can be told something. */
      readonly downlink?: DownlinkRoute
      /** Nobody's: no user may be asked for by the device that it names. */
      readonly ofNobody?: true
      /** Most likely nobody has pressed: an incident that it opens tells few, and an open one goes on as it is. */
      readonly few?: Few
      /** An operator has the alarm raised that was put off: a press once more, at once. rules.md#put-off. */
      readonly alarmNow?: true
      /**
       * A timer ran out, and nobody pressed: never a repeat. `place`: where the user was last known to be, for the
       * trail.
       */
      readonly overdue?: Overdue & { readonly place: { readonly at: EventTime; readonly position: Position } | null }
    }
  /**
   * An operator starts an exercise. `alert`: invented, as is its position. `sparesFallback`: the phone of the fallback
   * contact has rung for enough exercises. rules.md#drills.
   */
  | {
      readonly type: 'drill'
      readonly now: number
      readonly alert: Alert
      readonly incidentId: string
      readonly linkSecret: string
      readonly toContacts: boolean
      readonly sparesFallback?: boolean
    }
  /**
   * Nothing is put off any more: a press opened another incident of the user, or (`byUser`) the person has ended it.
   * rules.md#put-off.
   */
  | { readonly type: 'endPutOff'; readonly now: number; readonly byUser?: true }
  /** A press opened an incident of the same user, which ends their drill. rules.md#drills. */
  | { readonly type: 'overtake'; readonly now: number }
  /**
   * If `contactId` is null, the operator answers: as `name` and, with an account, `operatorId`. `promise`: what a
   * contact is going to do. `isBare`: by SMS without the code, so that anyone who forges the number may have sent it.
   */
  | {
      readonly type: 'acknowledge'
      readonly now: number
      readonly contactId: string | null
      readonly name?: string
      readonly operatorId?: string
      readonly promise?: HelpPromise
      readonly isBare?: true
      /** The newest alert that the operator knows of (its arrival): after a later one nothing changes. */
      readonly knownAlertAt?: number
    }
  /** A contact can't help, or the operator who answered (`contactId` null) takes that back. rules.md#responses. */
  | { readonly type: 'decline'; readonly now: number; readonly contactId: string | null; readonly operatorId?: string }
  /**
   * An operator has it from now on. `from`: who has it as far as they know; null: somebody without an account.
   * `agreed`: both wanted it. rules.md#shifts.
   */
  | {
      readonly type: 'takeOver'
      readonly now: number
      readonly operatorId: string
      readonly name: string
      readonly from: string | null
      readonly agreed?: true
    }
  /** The last session of the operator who has it has ended. `isAlone`: nobody is on shift for it. rules.md#shifts. */
  | { readonly type: 'leave'; readonly now: number; readonly operatorId: string; readonly isAlone: boolean }
  /** An operator has opened it on a screen, which takes nothing and stops nothing. rules.md#standing. */
  | { readonly type: 'see'; readonly now: number; readonly name: string }
  /** An operator has the alarm sent to one contact once more. rules.md#resend. */
  | { readonly type: 'resend'; readonly now: number; readonly contactId: string }
  /**
   * `by`: who ends it; absent means the user. `name`: the operator's name, if known. `end`: which alarm the user means;
   * absent: the incident of the key. rules.md#ends. `remark`: what the operator says of it. rules.md#closing.
   */
  | {
      readonly type: 'cancel' | 'resolve'
      readonly now: number
      readonly by?: Closing['by']
      readonly name?: string
      readonly end?: End
      readonly remark?: EndRemark
      /** The newest alert that the operator knows of (its arrival): after a later one nothing changes. */
      readonly knownAlertAt?: number
    }
  /**
   * A contact was added or corrected, which applies to every attempt that has not begun. `bySession`: by the user's own
   * session, not by an operator. rules.md#corrections.
   */
  | {
      readonly type: 'addContact' | 'updateContact'
      readonly now: number
      readonly contact: PlannedContact
      readonly bySession?: true
    }
  /** The user's own session has removed a contact. */
  | { readonly type: 'removeContact'; readonly now: number; readonly contactId: string }
  /** A contact wants nothing more of this incident, or takes that back. rules.md#wrong-number. */
  | { readonly type: 'stop'; readonly now: number; readonly contactId: string; readonly how: Stop['how'] }
  | { readonly type: 'start'; readonly now: number; readonly contactId: string }
  /** Lets a contact who joined see the position. `by`: the contact of the opening who says so; null: an operator. */
  | {
      readonly type: 'showPosition'
      readonly now: number
      readonly contactId: string
      readonly by: string | null
      readonly name?: string
    }
  /**
   * Do what is due. `inFlight`: the attempts that this process is sending right now, so that they do not count as
   * abandoned. `turns`: the attempts that may leave now if they are still wanted; all other due attempts wait their
   * turn. Absent: all of them may leave. `node`: absent where only one process can send. `isPatient`: if others are
   * changing the incident, wait for a few seconds instead of leaving it as it is.
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
      /** Of the attempt as it was claimed: tells this try from a later one, should the outcome come twice. */
      readonly earlierTries: number
      /** Under which the attempt was sent or looked up. Absent where only one process can send. */
      readonly lease?: Lease
    }
  | { readonly type: 'recordReceipt'; readonly now: number; readonly attemptId: string; readonly receipt: Receipt }
  /** A message to the tracker moves on. rules.md#downlinks. */
  | { readonly type: 'downlink'; readonly now: number; readonly kind: DownlinkKind; readonly step: DownlinkStep }
  /** The wall clock was set by `byMs`. Deadlines keep their distance. */
  | { readonly type: 'shiftDeadlines'; readonly now: number; readonly byMs: number }
  /**
   * The clock at this start is not believed. Deadlines keep the distance they had from `from`, the newest stored
   * moment. rules.md#clock.
   */
  | { readonly type: 'reckonAnew'; readonly now: number; readonly from: number }
  /**
   * The incident came with a restored file. Hold it if it is open, and skip what is overdue by more than an hour.
   * rules.md#restore.
   */
  | { readonly type: 'restore'; readonly now: number }
  /** The operator resumes an incident that came with a restored file. rules.md#restore. */
  | { readonly type: 'resume'; readonly now: number }

/** The clock has changed, for everything that has a deadline. */
export type ClockCommand = Extract<Command, { type: 'shiftDeadlines' | 'reckonAnew' }>

/**
 * One of several nodes that send. `others`: the leases of the other living nodes. `settleMs`: for how long after a
 * claim a request of a node that is gone may still be on its way to the provider. `isDraining`: it claims nothing more,
 * and only looks its own claims up.
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
   * `retryable`: the same attempt may succeed later. `retryAfterMs`: the wait the provider asked for. `error`: one of
   * the short, stable texts of rules.md#failure-texts. `isFinalForOne`: one of several providers will never take it,
   * though another may. `mayHaveArrived`: a provider before it may have taken it, and cannot be asked.
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
   * Repeat once. Without `error`, the provider was asked and does not have it. With `error` (the failure text of the
   * attempt), the outcome is unknown: it may have been sent.
   */
  | { readonly kind: 'not_found'; readonly error?: string }

/** A provider's later report. rules.md#outcomes. */
export type Receipt = {
  readonly status: Exclude<DeliveryStatus, 'scheduled' | 'skipped'>
  readonly provider: string
  readonly providerRef: string | null
  /** Set if `status` is `failed`. */
  readonly error: string | null
}
