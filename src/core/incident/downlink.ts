import { createHash } from 'node:crypto'
import type { DeliveryStatus } from './delivery.ts'

/** The messages to a tracker: its SOS arrived, and someone answered it. rules.md#downlinks. */
export const downlinkKinds = ['received', 'coming'] as const
export type DownlinkKind = (typeof downlinkKinds)[number]

/** The tracker that an incident answers, and its way. */
export type DownlinkRoute = {
  /** The network server's name in the configuration. */
  readonly server: string
  readonly devEui: string
  /** What the network server calls its application and the device. */
  readonly application: string
  readonly device: string
  /** The profile that holds the payloads. */
  readonly profile: string
  /** The kinds that the profile has a payload for. */
  readonly kinds: readonly DownlinkKind[]
}

/**
 * One message to the tracker. `scheduled` until a gateway has it, also in the network server's queue; `sent` by a
 * gateway; `delivered` once the tracker confirmed it. Times are epoch ms.
 */
export type Downlink = {
  readonly kind: DownlinkKind
  readonly status: DeliveryStatus
  readonly dueAt: number
  /** From then on it is no longer sent. */
  readonly expiresAt: number
  /** Tries to hand it over. */
  readonly tries: number
  /** While it is being handed over: until when. The process that hands it over may have stopped. */
  readonly claimedUntil: number | null
  /** How the network server calls it, from the first try on. */
  readonly ref: string | null
  readonly isQueued: boolean
  /** Nobody knows whether the network server took it: a try ended without an answer. */
  readonly mayWait?: true
  /** When it was last handed over. */
  readonly handedAt: number | null
  /** Why it `failed`. */
  readonly error: string | null
  readonly updatedAt: number
}

/**
 * The messages to the first tracker of an incident that can be told: at most one of a kind. `emptiedUntil`: while a
 * node empties the tracker's queue, until when at most (epoch ms).
 */
export type Downlinks = {
  readonly route: DownlinkRoute
  readonly rows: readonly Downlink[]
  readonly emptiedUntil?: number
}

/** What happened to a message. `ref`: tells it from messages that others have queued. */
export type DownlinkStep =
  | { readonly name: 'claim'; readonly ref: string }
  | { readonly name: 'queued'; readonly ref: string }
  /** `mayWait`: unknown; it may wait at the network server. */
  | { readonly name: 'refused'; readonly error: string; readonly retryable: boolean; readonly mayWait?: boolean }
  | { readonly name: 'heard'; readonly ref: string; readonly status: 'sent' | 'delivered' | 'failed' }
  /** Its lifetime is over. */
  | { readonly name: 'expire' }
  /** A node is about to empty the queue of the tracker; another one would take what is handed over after that. */
  | { readonly name: 'takeBack' }
  | { readonly name: 'notTakenBack' }
  /** The queue of its tracker at the network server was emptied. */
  | { readonly name: 'takenBack' }

/** The `error` of a message whose lifetime ended. */
export const EXPIRED = 'expired'

/** A UUID that is the same at every try, so that a network server can tell a repeat. */
export function downlinkRef(incidentId: string, kind: DownlinkKind): string {
  const hex = createHash('sha256').update(`${incidentId} ${kind}`).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
