import { type ClientSession, isTracker } from '../../../../core/account/session.ts'
import { MAX_CONGESTED, MAX_UNANSWERED, TRACKER_LIMITS } from '../limits.ts'
import { type Connect, idleMs } from '../wire/connect.ts'
import { type FramePlace, PacketType, Reason } from '../wire/frame.ts'
import { readPublish } from '../wire/publish.ts'
import type { ClientConnection, ClientServices } from './client-connection.ts'
import { handlerOf } from './handlers.ts'
import { Publishes } from './publishes.ts'

/** An admitted client: its user, its publishes in flight, and when its next packet may be read. */
export class AdmittedClient {
  readonly connection: ClientConnection
  readonly services: ClientServices
  readonly publishes: Publishes
  /** Null: as any client. */
  readonly messagesPerSecond: number | null
  /** The next frame has to wait until nothing is in flight. */
  #settling = false

  constructor(connection: ClientConnection, services: ClientServices) {
    const { session, connect, intake, outgoing, isOver, violation, expel } = connection
    this.connection = connection
    this.services = services
    this.messagesPerSecond = isTracker(session) ? TRACKER_LIMITS.messagesPerSecond : null
    this.publishes = new Publishes({
      session,
      connect,
      limits: isTracker(session) ? { ...services.limits, inFlight: TRACKER_LIMITS.inFlight } : services.limits,
      take: services.take,
      isOver,
      send: outgoing.send,
      violation,
      failed: (error) => {
        services.failed(session, error)
        expel(Reason.internalError)
      },
      refused: () => services.refused('publish'),
      settled: intake.pumpSoon,
    })
  }

  get session(): ClientSession {
    return this.connection.session
  }

  get connect(): Connect {
    return this.connection.connect
  }

  /** Handles one frame. False: it has to wait until everything in flight has settled. */
  readonly take = (bytes: Buffer, place: FramePlace): boolean => {
    const first = bytes[place.at]!
    this.#settling = false
    // Nearly every frame is a PUBLISH, so it is read in place.
    if (first >> 4 === PacketType.publish) {
      this.#takePublish(bytes, place)
      return true
    }
    const { flags, comesLast = false, take } = handlerOf(first >> 4)
    if ((first & 0x0f) !== flags) {
      this.connection.violation(Reason.malformed)
      return true
    }
    this.#settling = comesLast && this.publishes.inFlight > 0
    if (!this.#settling) take(this, bytes.subarray(place.at, place.end), place.body - place.at)
    return !this.#settling
  }

  #takePublish(bytes: Buffer, place: FramePlace): void {
    const publish = readPublish(bytes, place, this.connection.connect.version)
    if (typeof publish === 'number') this.connection.violation(publish)
    else this.publishes.take(publish, place.end - place.at)
  }

  /** Whether the next frame has to wait for earlier ones. */
  isHeld(): boolean {
    const { publishes, services, connection } = this
    if (connection.outgoing.unanswered >= MAX_UNANSWERED || publishes.full) return true
    if (this.#settling && publishes.inFlight > 0) return true
    // An SOS behind one or two telemetry rows is still read.
    return publishes.inFlight > MAX_CONGESTED && (services.isCongested?.(connection.session) ?? false)
  }

  /** The reason code if the connection has to end by now, or null. `now` in monotonic milliseconds. */
  overdue(now: number): number | null {
    if (this.publishes.isStuck(now, this.services.limits.settleMs)) return Reason.internalError
    return this.connection.intake.isSilent(now, idleMs(this.connect)) ? Reason.keepAliveTimeout : null
  }
}
