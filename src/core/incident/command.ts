import type { Alert } from '../ingest/alert.ts'
import type { DeliveryStatus } from './delivery.ts'
import type { Closing, PlannedContact } from './incident.ts'

/**
 * What can be asked of the write door. Plain data with the time (epoch ms) and every new id already in it, so that a
 * run can be replayed and the door may stand on another thread or machine.
 */
export type Command =
  | {
      readonly type: 'raise'
      readonly now: number
      readonly alert: Alert
      /** Who published it; another user than the owner is a relay. */
      readonly reporterId: string
      /** Id and link secret of the incident, should this alert open one. */
      readonly incidentId: string
      readonly linkSecret: string
    }
  /** `contactId` null: the operator answers, under `name` where that is known. */
  | { readonly type: 'acknowledge'; readonly now: number; readonly contactId: string | null; readonly name?: string }
  /** `by`: who ends it, the user where absent. `name`: the operator's, where it is known. */
  | { readonly type: 'cancel' | 'resolve'; readonly now: number; readonly by?: Closing['by']; readonly name?: string }
  | { readonly type: 'addContact'; readonly now: number; readonly contact: PlannedContact }
  /** A contact was corrected: it holds for every attempt that has not begun. rules.md#corrections. */
  | { readonly type: 'updateContact'; readonly now: number; readonly contact: PlannedContact }
  /**
   * Do what is due. `inFlight`: attempts that this process is sending right now, so that they are not taken for
   * forgotten ones. `turns`: the attempts that may leave now, if they are still wanted; whatever else is due waits for
   * its turn. Absent: all of them may.
   */
  | {
      readonly type: 'proceed'
      readonly now: number
      readonly inFlight: readonly string[]
      readonly turns?: readonly string[]
    }
  | {
      readonly type: 'recordOutcome'
      readonly now: number
      readonly attemptId: string
      readonly outcome: AttemptOutcome
      /** 0 to 1, drawn outside: spreads retries of HTTP deliveries by ± 20 %. */
      readonly jitter: number
    }
  | { readonly type: 'recordReceipt'; readonly now: number; readonly attemptId: string; readonly receipt: Receipt }
  /** The wall clock was set by `byMs`: deadlines keep their distance. */
  | { readonly type: 'shiftDeadlines'; readonly now: number; readonly byMs: number }
  /**
   * The clock of a start cannot be believed: deadlines keep the distance that they had from `from`, the newest stored
   * moment. rules.md#clock.
   */
  | { readonly type: 'reckonAnew'; readonly now: number; readonly from: number }
  /**
   * The incident came with a restored file: held if it is open, what is overdue by more than an hour
   * skipped. rules.md#restore.
   */
  | { readonly type: 'restore'; readonly now: number }
  /** The operator lets an incident that came with a restored file go on. rules.md#restore. */
  | { readonly type: 'resume'; readonly now: number }

/** How one attempt ended, as the notifier saw it. */
export type AttemptOutcome =
  /** `askAfterMs`: after how long without a receipt the provider is to be asked; absent where it cannot be. */
  | {
      readonly kind: 'sent' | 'delivered'
      readonly provider: string
      readonly providerRef: string | null
      readonly askAfterMs?: number
    }
  /**
   * `retryable`: the same attempt may succeed later. `retryAfterMs`: what the provider asked for. `error`: one of the
   * short, stable texts of rules.md#failure-texts. `isFinalForOne`: of several providers one will never take it, though
   * another one may yet.
   */
  | {
      readonly kind: 'failed'
      readonly error: string
      readonly retryable: boolean
      readonly retryAfterMs?: number
      readonly isFinalForOne?: boolean
    }
  /** There is nobody to send to any more (the actuator was removed). */
  | { readonly kind: 'no_target' }
  /**
   * The provider may or may not have taken it; it is looked up after the quiet time. `refused`: the failure text of the
   * 5xx that it answered, where it answered at all.
   */
  | { readonly kind: 'unknown'; readonly refused?: string }
  /**
   * Repeat once. Without `error` the provider was asked and does not have it. With `error`, the failure text of what
   * left it open, nobody can tell: it may have been sent.
   */
  | { readonly kind: 'not_found'; readonly error?: string }

/** What a provider reported later. rules.md#outcomes. */
export type Receipt = {
  readonly status: Exclude<DeliveryStatus, 'scheduled' | 'skipped'>
  readonly provider: string
  readonly providerRef: string | null
  /** Set where `status` is `failed`. */
  readonly error: string | null
}
