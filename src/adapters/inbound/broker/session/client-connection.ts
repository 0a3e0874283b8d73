import type { ClientSession } from '../../../../core/account/session.ts'
import type { Outgoing } from '../delivery/outgoing.ts'
import type { GateLimits } from '../limits.ts'
import type { Connect, ConnectRefusal } from '../wire/connect.ts'
import type { TakePublish } from './inbound.ts'
import type { Intake } from './intake.ts'

/** The client's session and the client id for Aedes, or why the client is refused. */
export type Admission =
  | { readonly session: ClientSession; readonly scopedId: string }
  | { readonly refused: ConnectRefusal }

/** Decides on a CONNECT. A client without an id has been assigned one by now. */
export type Admit = (connect: Connect) => Promise<Admission>

/** The services behind the packets of admitted clients. */
export type ClientServices = {
  readonly limits: GateLimits
  /** Stores one publish. */
  readonly take: TakePublish
  /**
   * Whether too many writes wait for the disk. If so, a connection is read further only while few of its publishes are
   * in flight.
   */
  readonly isCongested?: (session: ClientSession) => boolean
  /** Called for each SUBSCRIBE or UNSUBSCRIBE that the gate refused, even in part, and for each PUBLISH. */
  readonly refused: (operation: 'publish' | 'subscribe' | 'unsubscribe') => void
  /** Called for each PUBLISH that could not be stored. */
  readonly failed: (session: ClientSession, error: Error) => void
}

/** The connection of an admitted client, as its packet handlers use it. */
export type ClientConnection = {
  readonly session: ClientSession
  readonly connect: Connect
  readonly intake: Intake
  readonly outgoing: Outgoing
  /** Forwards a frame to Aedes. */
  readonly relay: (frame: Buffer) => void
  /** The client broke the protocol; `reason` is the MQTT 5 reason code. */
  readonly violation: (reason: number) => void
  /** The client announces that it is leaving: nothing more is read. `firesWill`: it asks for its will. */
  readonly leaves: (firesWill: boolean) => void
  /** Ends the connection immediately and tells an MQTT 5 client why. */
  readonly expel: (reason: number) => void
  readonly isOver: () => boolean
}
