import type { ActuatorType } from '../account/actuator.ts'

/** rules.md#attempts. The same five for actuators, contacts, channels and deliveries. */
export const deliveryStatuses = ['scheduled', 'sent', 'delivered', 'failed', 'skipped'] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]
export type Outcome = 'success' | 'failure' | 'pending' | 'skipped'

/** Channels that have no contact. */
export const integrationChannels = ['chat', 'webhook'] as const
export type IntegrationChannel = (typeof integrationChannels)[number]

/** A contact's channels, in the order in which the snapshot lists them. protocol.md#snapshot. */
export const contactChannels = ['sms', 'voice', 'http'] as const
export type ContactChannel = (typeof contactChannels)[number]
export type Channel = ContactChannel | IntegrationChannel

/**
 * What an attempt is for. `alarm`: help is needed; only these show in the snapshot. News for chat and webhook:
 * `reopened` (another alarm), `acknowledged`, `unanswered` (the last round ended). Texts to contacts:
 * `check_in` asks a helper again, `last_call` says that the incident is about to be closed. `all_clear`: it was
 * closed. rules.md#attempts.
 */
export type Purpose = 'alarm' | 'reopened' | 'acknowledged' | 'unanswered' | 'check_in' | 'last_call' | 'all_clear'

/**
 * One attempt to tell somebody, planned or done. Its id is the attempt id that providers get to see:
 * `{incidentId}.{n}`. All times are epoch milliseconds.
 */
export type Delivery = {
  readonly id: string
  readonly purpose: Purpose
  readonly actuator: ActuatorType
  readonly channel: Channel
  /** Null for chat and webhook, and for the placeholder of a cascade that has no contacts. */
  readonly contactId: string | null
  /** Which run of the cascade planned it, from 1. A retry belongs to the round of what it repeats. */
  readonly round: number
  /** 1-based within purpose, contact and channel; a retried HTTP delivery or call is a new row with the next number. */
  readonly attempt: number
  /**
   * How often the same was tried before and put off or failed with a retryable error: this row (SMS, all-clear) or
   * those it follows (HTTP).
   */
  readonly tries: number
  /** Which of its round at its target it is, from 1; absent for the first. */
  readonly nth?: number
  readonly status: DeliveryStatus
  readonly dueAt: number
  /** Set between the claim and its outcome: the provider may or may not have been called. */
  readonly claim: Claim | null
  /** Set while it waits to be sent again because its outcome stayed unknown: how many repeats that makes. */
  readonly repeats?: number
  /** The provider that took it, and its id for the message there. */
  readonly provider: string | null
  readonly providerRef: string | null
  /**
   * E.164: whom the newest claim was for, as the number may be corrected meanwhile. Absent while nothing was
   * claimed, and for HTTP.
   */
  readonly to?: string
  readonly error: string | null
  /**
   * When the provider is to be asked what became of a message that it took, should no receipt have told by then. Null,
   * or absent in records from before there was asking, where nobody is to be asked.
   */
  readonly askAt?: number | null
  /**
   * When a provider said that it reached the recipient, although the status, which never goes back, was `failed`
   * or `skipped` by then.
   */
  readonly reachedAt?: number
  /** Last change; the moment of planning while nothing has run. */
  readonly updatedAt: number
}

/**
 * `checkAt`: when an outcome still missing counts as unknown. `repeats`: how often it was sent again without knowing.
 * `counted`: its unknown outcome counts as a try already.
 */
export type Claim = {
  readonly at: number
  readonly checkAt: number
  readonly repeats: number
  readonly counted?: true
}

/**
 * Settled attempts of one contact and channel. `count`: of the alarm, so that the next one gets the next number.
 * `lastAt`: when each status was last reached, within the time that the snapshot shows. `told`: one of them
 * reached the contact.
 */
export type FoldedDeliveries = Pick<Delivery, 'actuator' | 'channel' | 'contactId'> & {
  readonly count: number
  readonly lastAt: { readonly [S in DeliveryStatus]?: number }
  readonly told: boolean
}

/** rules.md#rollup: most advanced wins. */
const rank = { skipped: 0, failed: 1, scheduled: 2, sent: 3, delivered: 4 } as const satisfies Record<
  DeliveryStatus,
  number
>

/** The most advanced of `statuses`. Nothing at all never ran: `skipped`. rules.md#rollup. */
export const rollup = (statuses: readonly DeliveryStatus[]): DeliveryStatus =>
  statuses.reduce<DeliveryStatus>((best, status) => (rank[status] > rank[best] ? status : best), 'skipped')

/** rules.md#rollup. */
export function outcomeOf(status: DeliveryStatus): Outcome {
  switch (status) {
    case 'sent':
    case 'delivered':
      return 'success'
    case 'failed':
      return 'failure'
    case 'scheduled':
      return 'pending'
    case 'skipped':
      return 'skipped'
    default:
      return status satisfies never
  }
}

/** Where a status may go. rules.md#attempts; a status never goes back (rules.md#receipts). */
const successors = {
  scheduled: ['sent', 'delivered', 'failed', 'skipped'],
  sent: ['delivered', 'failed'],
  delivered: [],
  failed: [],
  skipped: [],
} as const satisfies Record<DeliveryStatus, readonly DeliveryStatus[]>

export const mayBecome = (from: DeliveryStatus, to: DeliveryStatus): boolean =>
  (successors[from] as readonly DeliveryStatus[]).includes(to)

/**
 * Whether an attempt told its target that something is the matter: who has to hear that it is over. rules.md#all-clear.
 */
export const isReached = ({ purpose, status, reachedAt }: Delivery): boolean =>
  purpose !== 'all_clear' && (status === 'sent' || status === 'delivered' || reachedAt !== undefined)

/** Still to be sent, and nothing of it has left yet. */
export const isWaiting = ({ status, claim }: Delivery): boolean => status === 'scheduled' && claim === null

/** Still to be sent, and its time has come. It leaves when its turn comes, too. */
export const isDue = (delivery: Delivery, now: number): boolean => isWaiting(delivery) && delivery.dueAt <= now

/** False for the placeholder of a cascade that has no contacts. */
export const hasTarget = ({ channel, contactId }: Delivery): boolean => channel !== 'sms' || contactId !== null

/**
 * Whether the cascade still has something to begin. A text or an HTTP call that is only being retried does not count:
 * calls and rounds do not wait for a network or a gateway that is down (rules.md#rounds).
 */
export const isAhead = (delivery: Delivery): boolean =>
  delivery.purpose === 'alarm' && delivery.status === 'scheduled' && delivery.tries === 0
