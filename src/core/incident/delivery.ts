import type { ShownActuator } from '../account/actuator-types.ts'

/** rules.md#attempts. Actuators, contacts, channels and deliveries share these five. */
export const deliveryStatuses = ['scheduled', 'sent', 'delivered', 'failed', 'skipped'] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]
export type Outcome = 'success' | 'failure' | 'pending' | 'skipped'

/** Channels without a contact. */
export const integrationChannels = ['chat', 'webhook'] as const
export type IntegrationChannel = (typeof integrationChannels)[number]

/** A contact's channels, in snapshot order. protocol.md#snapshot. */
export const contactChannels = ['sms', 'voice', 'http'] as const
type ContactChannel = (typeof contactChannels)[number]
/** To a contact, beside the SMS. It wakes nobody, so nothing waits for it or counts it. rules.md#email. */
type MailChannel = 'email'
export type Channel = ContactChannel | IntegrationChannel | MailChannel
export const channels: readonly Channel[] = [...contactChannels, ...integrationChannels, 'email']

/**
 * The purpose of an attempt. `alarm`: help is needed; the snapshot shows only these. News for chat and webhook:
 * `reopened` (another alarm), `acknowledged`, `unanswered` (the last round ended). Texts to contacts: `check_in` asks a
 * helper again, `tell_others` tells those who have not answered that somebody helps, `last_call` warns that the
 * incident is about to be closed. `contacts_changed`, `account_changed`: the user's own session changed the contacts,
 * or name, number or devices; for chat and contacts. `nobody_left`: all contacts have stopped messages or do not know
 * the person; for chat. `all_clear`: it was closed. rules.md#attempts.
 */
export type Purpose =
  | 'alarm'
  | 'reopened'
  | 'acknowledged'
  | 'unanswered'
  | 'check_in'
  | 'tell_others'
  | 'last_call'
  | 'contacts_changed'
  | 'account_changed'
  | 'nobody_left'
  | 'all_clear'

/**
 * One attempt to tell one target something, planned or done. Providers see its attempt id, `{incidentId}.{n}`. All
 * times are epoch milliseconds.
 */
export type Delivery = {
  readonly id: string
  readonly purpose: Purpose
  readonly actuator: ShownActuator
  readonly channel: Channel
  /** Null for chat, webhook and the placeholder of a cascade without contacts. */
  readonly contactId: string | null
  /**
   * The run of the cascade that planned it, from 1. A retry belongs to the round of the attempt it repeats. 0: an
   * operator sent it outside any round.
   */
  readonly round: number
  /** 1-based within purpose, contact and channel. A retried HTTP delivery or call is a new row with the next number. */
  readonly attempt: number
  /**
   * Earlier tries that were postponed or failed with a retryable error: of this row (SMS, all-clear) or of the rows
   * before it (HTTP).
   */
  readonly tries: number
  /** Sent before other repeats: its contact was told that somebody helps, but nobody does. */
  readonly leads?: true
  /** Its ordinal among the round's attempts at its target, from 1. Absent for the first. */
  readonly nth?: number
  readonly status: DeliveryStatus
  readonly dueAt: number
  /** Set between the claim and its outcome: the provider may or may not have been called. */
  readonly claim: Claim | null
  /** Set while it waits to be sent again after an unknown outcome: the number of repeats so far. */
  readonly repeats?: number
  /** The provider that took it, and the provider's id for the message. */
  readonly provider: string | null
  readonly providerRef: string | null
  /**
   * E.164: the recipient at the newest claim, because the number may be corrected later. Absent for HTTP and before the
   * first claim.
   */
  readonly to?: string
  readonly error: string | null
  /** One of its tries ended with an unknown outcome: a provider may have taken it. Absent in older records. */
  readonly mayHaveArrived?: true
  /**
   * When to ask the provider about a message it took, unless a receipt arrives first. Null, or absent in older records:
   * do not ask.
   */
  readonly askAt?: number | null
  /** When asking ends, if the clock was set since; otherwise derived from `updatedAt`, which people see. */
  readonly askUntil?: number
  /**
   * When a provider reported that the message reached the recipient although the status was already `failed` or
   * `skipped`; a status never goes back.
   */
  readonly reachedAt?: number
  /** Time of the last change; the time of planning until something has run. */
  readonly updatedAt: number
}

/**
 * `checkAt`: when a missing outcome counts as unknown. `repeats`: how often it was resent after an unknown outcome.
 * `counted`: its unknown outcome already counts as a try. `by`: the lease that sends it or looks it up; absent if only
 * one process can.
 */
export type Claim = {
  readonly at: number
  readonly checkAt: number
  readonly repeats: number
  readonly counted?: true
  readonly by?: Lease
}

/** A node's right to send. `token` grows with every lease that is granted. keeping.md#several-nodes. */
export type Lease = { readonly node: string; readonly token: number }

export const isSameLease = (one: Lease | undefined, other: Lease): boolean =>
  one?.node === other.node && one.token === other.token

/**
 * Settled attempts of one contact and channel. `count`: number of alarm attempts, so that the next one gets the next
 * number. `lastAt`: when each status was last reached, within the period the snapshot shows. `told`: whether one of
 * them reached the contact.
 */
export type FoldedDeliveries = Pick<Delivery, 'actuator' | 'channel' | 'contactId'> & {
  readonly count: number
  readonly lastAt: { readonly [S in DeliveryStatus]?: number }
  readonly told: boolean
  /** Whether one of them may have reached the contact, because its outcome is unknown. */
  readonly mayHaveArrived?: true
}

/** rules.md#rollup: most advanced wins. */
const rank = { skipped: 0, failed: 1, scheduled: 2, sent: 3, delivered: 4 } as const satisfies Record<
  DeliveryStatus,
  number
>

/** The more advanced of two statuses. */
export const moreAdvanced = (one: DeliveryStatus, other: DeliveryStatus): DeliveryStatus =>
  rank[other] > rank[one] ? other : one

/** The most advanced of `statuses`, or `skipped` if there are none. rules.md#rollup. */
export const rollup = (statuses: readonly DeliveryStatus[]): DeliveryStatus =>
  statuses.reduce<DeliveryStatus>((best, status) => moreAdvanced(best, status), 'skipped')

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

/** The allowed transitions. rules.md#attempts; a status never goes back (rules.md#receipts). */
const successors = {
  scheduled: ['sent', 'delivered', 'failed', 'skipped'],
  sent: ['delivered', 'failed'],
  delivered: [],
  failed: [],
  skipped: [],
} as const satisfies Record<DeliveryStatus, readonly DeliveryStatus[]>

/** Whether an attempt in status `from` may change to `to`. */
export const mayBecome = (from: DeliveryStatus, to: DeliveryStatus): boolean =>
  (successors[from] as readonly DeliveryStatus[]).includes(to)

/**
 * Whether an attempt told its target about the emergency, so that the target must get the all-clear.
 * rules.md#all-clear.
 */
export const isReached = ({ purpose, status, reachedAt }: Delivery): boolean =>
  purpose !== 'all_clear' && (status === 'sent' || status === 'delivered' || reachedAt !== undefined)

/**
 * Whether its target may know of the emergency: it was told, or the outcome is unknown. Such a target is told of the
 * end as well. rules.md#all-clear.
 */
export const mayBeReached = (row: Delivery): boolean =>
  isReached(row) || (row.purpose !== 'all_clear' && (row.mayHaveArrived === true || row.claim?.counted === true))

/** Whether its alarms are retried as the same attempt: an SMS or a mail. rules.md#retries. */
export const isWritten = ({ channel }: Pick<Delivery, 'channel'>): boolean => channel === 'sms' || channel === 'email'

/** Scheduled, and not yet handed to a provider. */
export const isWaiting = ({ status, claim }: Delivery): boolean => status === 'scheduled' && claim === null

/** Waiting, and its time has come. It leaves only when its turn comes. */
export const isDue = (delivery: Delivery, now: number): boolean => isWaiting(delivery) && delivery.dueAt <= now

/** The number of tries that had ended when it was claimed. It grows with every claim and is constant during one. */
export const earlierTries = ({ tries, claim }: Delivery): number => (claim?.counted ? tries - 1 : tries)

/** False for the placeholder of a cascade without contacts. */
export const hasTarget = ({ channel, contactId }: Delivery): boolean => channel !== 'sms' || contactId !== null

/**
 * Whether it is a step of the cascade that has not begun. A text or HTTP call that is only being retried does not
 * count: calls and rounds do not wait for a network or gateway that is down (rules.md#rounds). Nor do they for a mail.
 */
export const isAhead = ({ purpose, status, tries, channel }: Delivery): boolean =>
  purpose === 'alarm' && status === 'scheduled' && tries === 0 && channel !== 'email'

/** The channels that a provider in `notifications.providers` may serve. */
export const textChannels = ['sms', 'voice'] as const
export type TextChannel = (typeof textChannels)[number]

/** The failure texts for a channel that no provider serves. rules.md#providers. */
export const noProvider = {
  sms: 'no provider for texts',
  voice: 'no provider for calls',
} as const satisfies Record<TextChannel, string>

/** The same for mails, on a node that knows no mail server. */
export const NO_MAIL_SERVER = 'no provider for mails'

/** Whether a sender can make calls. Sender names and short codes can only send texts. */
export const canCall = (from: string | null): from is string => from !== null && /^\+\d{7,15}$/.test(from)

/** The failure text (rules.md#failure-texts) of an attempt that got no response. */
export const NO_ANSWER = 'connection timeout'

/** Whether a try was made: one failed, or its outcome stayed unknown. */
const hasRun = ({ error, claim, repeats = claim?.repeats ?? 0 }: Delivery): boolean =>
  error !== null || claim?.counted === true || repeats > 0

/**
 * `row` once it is no longer tried. An attempt that ran and failed is `failed`, even after an acknowledgement or the
 * end; only one that never ran is `skipped`. rules.md#attempts.
 */
export const givenUp = (row: Delivery, now: number): Delivery =>
  hasRun(row)
    ? { ...row, status: 'failed', claim: null, error: row.error ?? NO_ANSWER, updatedAt: now }
    : { ...row, status: 'skipped', claim: null, updatedAt: now }
