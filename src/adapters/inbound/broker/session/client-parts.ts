import type { IngestResult } from '../../../../app/ingest-publish.ts'
import type { Session } from '../../../../core/account/session.ts'
import type { Outgoing } from '../delivery/outgoing.ts'
import type { GateLimits } from '../limits.ts'
import type { Connect } from '../wire/connect.ts'
import type { PublishPacket } from '../wire/publish.ts'
import type { Intake } from './intake.ts'

/** What the service makes of the packets of admitted clients. */
export type ClientServices = {
  readonly limits: GateLimits
  /** Takes in one publish. Resolves after its commit; rejects where it could not be committed. */
  readonly take: (session: Session, publish: PublishPacket) => Promise<IngestResult>
  /** Whether too much waits for the disk: then a connection is read on only when little of it is in flight. */
  readonly isCongested?: (session: Session) => boolean
  /** Called for each SUBSCRIBE or UNSUBSCRIBE of which the gate refused something. */
  readonly refused: (operation: 'subscribe' | 'unsubscribe') => void
}

/** What an admitted client does to its connection. */
export type ClientParts = {
  readonly session: Session
  readonly connect: Connect
  readonly intake: Intake
  readonly outgoing: Outgoing
  /** Passes a frame on to Aedes. */
  readonly relay: (frame: Buffer) => void
  /** The client broke the protocol; `reason` says how. */
  readonly violation: (reason: number) => void
  /** The client says that it leaves: nothing more is taken in. */
  readonly leaves: () => void
  /** Ends the connection at once, telling an MQTT 5 client why. */
  readonly expel: (reason: number) => void
  readonly isOver: () => boolean
}
