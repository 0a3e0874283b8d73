import type { IngestResult } from '../../../../app/ingest/ingest-publish.ts'
import type { ClientSession } from '../../../../core/account/session.ts'
import { type GateLimits, HALF_OPEN_WITHOUT_MAXIMUM } from '../limits.ts'
import { type Connect, takesReasonString } from '../wire/connect.ts'
import { acknowledgement, type Bytes, PacketType, Reason } from '../wire/frame.ts'
import type { PublishPacket } from '../wire/publish.ts'
import { ExactlyOnce } from './exactly-once.ts'
import type { TakePublish } from './inbound.ts'
import { Window } from './window.ts'

/** The MQTT 5 reason code of each result. */
const reasons = {
  stored: Reason.success,
  dead_lettered: Reason.payloadFormatInvalid,
  refused: Reason.notAuthorized,
} as const satisfies Record<IngestResult, number>

const reasonStrings = {
  stored: '',
  dead_lettered: 'kept as a dead letter; do not send it again',
  refused: 'topic not allowed',
} as const satisfies Record<IngestResult, string>

export type PublishNeeds = {
  readonly session: ClientSession
  readonly connect: Connect
  readonly limits: GateLimits
  readonly take: TakePublish
  /** Whether the connection is over, so that no answer can go out. */
  readonly isOver: () => boolean
  readonly send: (bytes: Bytes) => void
  readonly violation: (reason: number) => void
  /**
   * A commit failed: send no acknowledgement and end the connection, so that the client sends again
   * (rules.md#durability).
   */
  readonly failed: (error: Error) => void
  /** Called for every publish that the access rules refuse. */
  readonly refused: () => void
  /** Called for every publish that has settled. */
  readonly settled: () => void
}

/** The publishes of one connection, from frame to acknowledgement, at every QoS. */
export class Publishes {
  readonly #needs: PublishNeeds
  readonly #window: Window
  readonly #exactlyOnce: ExactlyOnce
  #settledAt = 0

  constructor(needs: PublishNeeds) {
    const { limits, connect } = needs
    this.#needs = needs
    this.#window = new Window(limits.inFlight, limits.inFlightBytes)
    this.#exactlyOnce = new ExactlyOnce(connect.version === 5 ? limits.receiveMaximum : HALF_OPEN_WITHOUT_MAXIMUM)
  }

  /** Publishes that have not settled. */
  get inFlight(): number {
    return this.#window.count
  }

  /** Whether the next one has to wait. */
  get full(): boolean {
    return this.#window.full
  }

  /** Whether nothing has settled for `maxMs` while something is in flight. `now` in monotonic milliseconds. */
  isStuck(now: number, maxMs: number): boolean {
    return this.#window.count > 0 && now - this.#settledAt >= maxMs
  }

  /** Stores a publish of `bytes` bytes and acknowledges it after its commit. Hands it to `take` synchronously. */
  take(publish: PublishPacket, bytes: number): void {
    if (!this.#isNew(publish)) return
    // Not the publish itself: until it settles, it would hold the bytes that it was read from.
    const { qos, id } = publish
    if (this.#window.count === 0) this.#settledAt = performance.now()
    this.#window.take(id, bytes)
    this.#needs.take(this.#needs.session, publish, (result) => {
      if (result instanceof Error) {
        this.#needs.failed(result)
        return
      }
      if (result === 'refused') this.#needs.refused()
      this.#window.release(id)
      this.#settledAt = performance.now()
      this.#acknowledge(qos, id, result)
      this.#needs.settled()
    })
  }

  /** Handles a PUBREL. */
  release(id: number): void {
    const { connect, send, violation } = this.#needs
    const reason = this.#exactlyOnce.release(id)
    if (reason === null) violation(Reason.protocolError)
    else send(acknowledgement(PacketType.pubcomp, id, connect.version, reason))
  }

  /** Whether to store a publish. A repeat at QoS 2 gets the same answer as the first time. */
  #isNew({ qos, id }: PublishPacket): boolean {
    const { connect, send, violation } = this.#needs
    if (qos === 1 && this.#exactlyOnce.has(id)) {
      violation(Reason.protocolError)
      return false
    }
    if (qos !== 2) return true
    const begun = this.#exactlyOnce.begin(id)
    switch (begun) {
      case 'new':
        return true
      case 'pending':
        return false
      case 'stored':
        send(acknowledgement(PacketType.pubrec, id, connect.version))
        return false
      case 'too_many':
        violation(Reason.receiveMaximumExceeded)
        return false
      default:
        return begun satisfies never
    }
  }

  /**
   * access.md#topic-access: a refusal closes a 3.1.1 connection and answers an MQTT 5 one, which also learns of dead
   * letters.
   */
  #acknowledge(qos: number, id: number, result: IngestResult): void {
    const { connect, isOver, send, violation } = this.#needs
    const { version } = connect
    if (isOver()) return
    if (result === 'refused' && version !== 5) {
      violation(Reason.notAuthorized)
      return
    }
    if (qos === 0) return
    const reason = version === 5 ? reasons[result] : Reason.success
    if (qos === 2) this.#exactlyOnce.received(id, reason)
    const type = qos === 1 ? PacketType.puback : PacketType.pubrec
    const reasonString = takesReasonString(connect) ? reasonStrings[result] : ''
    send(acknowledgement(type, id, version, reason, reasonString))
  }
}
