import type { IngestResult } from '../../../../app/ingest-publish.ts'
import type { Session } from '../../../../core/account/session.ts'
import type { Outgoing } from '../delivery/outgoing.ts'
import { type GateLimits, MAX_CONGESTED, MAX_UNANSWERED } from '../limits.ts'
import { type Connect, idleMs } from '../wire/connect.ts'
import { type FramePlace, PacketType, Reason } from '../wire/frame.ts'
import { type PublishPacket, readPublish } from '../wire/publish.ts'
import { handlerOf } from './handlers.ts'
import type { Intake } from './intake.ts'
import { Publishes } from './publishes.ts'

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

/** An admitted client: who it is, what it has in flight, and when its next packet may be taken in. */
export class AdmittedClient {
  readonly parts: ClientParts
  readonly services: ClientServices
  readonly publishes: Publishes
  /** The next frame has to wait until nothing is in flight. */
  #settling = false

  constructor(parts: ClientParts, services: ClientServices) {
    const { session, connect, intake, outgoing, isOver, violation, expel } = parts
    this.parts = parts
    this.services = services
    this.publishes = new Publishes({
      session,
      connect,
      limits: services.limits,
      take: services.take,
      isOver,
      send: outgoing.send,
      violation,
      failed: () => expel(Reason.internalError),
      settled: intake.pump,
    })
  }

  get session(): Session {
    return this.parts.session
  }

  get connect(): Connect {
    return this.parts.connect
  }

  /** Takes in one frame. False: not before everything in flight is settled. */
  readonly take = (bytes: Buffer, place: FramePlace): boolean => {
    const first = bytes[place.at]!
    this.#settling = false
    // Nearly every frame is one of these, and it is read where it lies.
    if (first >> 4 === PacketType.publish) {
      this.#takePublish(bytes, place)
      return true
    }
    const { flags, comesLast = false, take } = handlerOf(first >> 4)
    if ((first & 0x0f) !== flags) {
      this.parts.violation(Reason.malformed)
      return true
    }
    this.#settling = comesLast && this.publishes.inFlight > 0
    if (!this.#settling) take(this, bytes.subarray(place.at, place.end), place.body - place.at)
    return !this.#settling
  }

  #takePublish(bytes: Buffer, place: FramePlace): void {
    const publish = readPublish(bytes, place, this.parts.connect.version)
    if (typeof publish === 'number') this.parts.violation(publish)
    else this.publishes.take(publish, place.end - place.at)
  }

  /** Whether the next frame has to wait for what came before it. */
  isHeld(): boolean {
    const { publishes, services, parts } = this
    if (parts.outgoing.unanswered >= MAX_UNANSWERED || publishes.full) return true
    if (this.#settling && publishes.inFlight > 0) return true
    // An SOS that is pressed behind a row or two is read all the same.
    return publishes.inFlight > MAX_CONGESTED && (services.isCongested?.(parts.session) ?? false)
  }

  /** Why the connection has to end by now, as a reason code, or null. `now` in monotonic milliseconds. */
  overdue(now: number): number | null {
    if (this.publishes.isStuck(now, this.services.limits.settleMs)) return Reason.internalError
    return this.parts.intake.isSilent(now, idleMs(this.connect)) ? Reason.keepAliveTimeout : null
  }
}
