import { createHash } from 'node:crypto'
import type { DeliveryStatus } from './delivery.ts'

/** The messages to a tracker: its SOS arrived, and someone answered it. devices.md#downlinks. */
export const downlinkKinds = ['received', 'coming'] as const
export type DownlinkKind = (typeof downlinkKinds)[number]

/** The tracker that an incident answers, and the route to it. */
export type DownlinkRoute = {
  /** The network server's name in the configuration. */
  readonly server: string
  readonly devEui: string
  /** The network server's names for its application and the device. */
  readonly application: string
  readonly device: string
  /** The profile that holds the payloads. */
  readonly profile: string
  /** The kinds that the profile has a payload for. */
  readonly kinds: readonly DownlinkKind[]
}

/**
 * One message to the tracker. `scheduled` until a gateway has it, even while it waits in the network server's queue;
 * `sent` by a gateway; `delivered` once the tracker has confirmed it. Times are epoch ms.
 */
export type Downlink = {
  readonly kind: DownlinkKind
  readonly status: DeliveryStatus
  readonly dueAt: number
  /** It is no longer sent from then on. */
  readonly expiresAt: number
  /** Tries to hand it over. */
  readonly tries: number
  /** While it is being handed over: the end of that claim, because the process that hands it over may have stopped. */
  readonly claimedUntil: number | null
  /** The network server's id for it, from the first try on. */
  readonly ref: string | null
  readonly isQueued: boolean
  /** Whether the network server may have taken it: a try ended without an answer. */
  readonly mayWait?: true
  /** When it was last handed over. */
  readonly handedAt: number | null
  /** The reason why it `failed`. */
  readonly error: string | null
  readonly updatedAt: number
}

/**
 * The messages to the first tracker of an incident that downlinks can reach: at most one of each kind. `emptiedUntil`:
 * while a node empties the tracker's queue, the latest end of that (epoch ms).
 */
export type Downlinks = {
  readonly route: DownlinkRoute
  readonly rows: readonly Downlink[]
  readonly emptiedUntil?: number
}

/** A step of a message. `ref`: tells it from messages that others have queued. */
export type DownlinkStep =
  | { readonly name: 'claim'; readonly ref: string }
  | { readonly name: 'queued'; readonly ref: string }
  /** `mayWait`: the outcome is unknown; the message may wait at the network server. */
  | { readonly name: 'refused'; readonly error: string; readonly retryable: boolean; readonly mayWait?: boolean }
  | { readonly name: 'heard'; readonly ref: string; readonly status: 'sent' | 'delivered' | 'failed' }
  /** Its lifetime has ended. */
  | { readonly name: 'expire' }
  /** A node is about to empty the tracker's queue, which would also remove anything that another node hands over. */
  | { readonly name: 'takeBack' }
  | { readonly name: 'notTakenBack' }
  /** The tracker's queue at the network server was emptied. */
  | { readonly name: 'takenBack' }

/** The `error` of a message whose lifetime ended. */
export const EXPIRED = 'expired'

/** A UUID that is the same at every try, so that the network server can recognise a repeat. */
export function downlinkRef(incidentId: string, kind: DownlinkKind): string {
  const hex = createHash('sha256').update(`${incidentId} ${kind}`).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
