// One file: the states of one connection, of which every method changes or reads some. What has no state of it stands beside this file.
import { randomUUID } from 'node:crypto'
import { Duplex } from 'node:stream'
import type { Session } from '../../../../core/account/session.ts'
import { eventTopics } from '../../../../core/ingest/topic.ts'
import { Outgoing } from '../delivery/outgoing.ts'
import {
  acceptance,
  admittedConnect,
  type Connect,
  type ConnectRefusal,
  hasRoomForReasonString,
  idleMs,
  readConnect,
  refusal,
} from '../wire/connect.ts'
import { acknowledgement, disconnect, disconnectReasons, PacketType, PINGRESP, Reason } from '../wire/frame.ts'
import { isPublish, type Publish, readPublish } from '../wire/publish-frame.ts'
import { answerPlan, planSubscription } from '../wire/subscription.ts'
import { type FramePlace, Intake } from './intake.ts'
import type { GateLimits } from './limits.ts'
import { Publishes, type Taken } from './publishes.ts'
import type { Shares } from './shares.ts'

/** How long a closed connection may take to read its last words, and how much it may send meanwhile. */
const LINGER_MS = 2000
const LINGER_BYTES = 256 * 1024

/** Publishes that a connection may have in flight while too much waits for the disk. */
const MAX_CONGESTED = 2
/** Subscriptions that Aedes has at a time: it works off in one go whatever it is given. */
const MAX_UNANSWERED = 8
/** What Aedes takes to subscribe a client or to end it, about. */
const SUBSCRIPTION_MS = 0.2

export type Admitted = { readonly session: Session; readonly scopedId: string }
export type Admission = Admitted | { readonly refused: ConnectRefusal }

export type GateParts = {
  readonly stream: Duplex
  readonly limits: GateLimits
  readonly shares: Shares
  /** Decides over a CONNECT; an id is already assigned to a client without one. */
  readonly admit: (connect: Connect, gate: Gate) => Promise<Admission>
  /** Hands the gate to Aedes; called once, for an admitted client only. */
  readonly enter: (gate: Gate) => void
  /** Takes in one publish of an admitted client. Resolves after its commit; rejects where it could not be committed. */
  readonly take: (session: Session, publish: Publish) => Promise<Taken>
  /** Whether too much waits for the disk: then a connection is read on only when little of it is in flight. */
  readonly isCongested?: (session: Session) => boolean
  /** Told of each subscription that the gate refused itself. */
  readonly refused: (operation: 'subscribe' | 'unsubscribe') => void
  /** The client has subscribed, and is owed the state. Without it nobody is told but of events. */
  readonly owesState?: (gate: Gate) => void
}

type State = 'silent' | 'admitting' | 'entering' | 'open' | 'over'

/**
 * Stands between a client's stream (tcp, tls, WebSocket) and Aedes: nothing reaches Aedes as it comes from the wire.
 *
 * In (`Intake`): cuts the stream into frames and bounds them. Here each frame is judged, and what Aedes need not see is answered. Publishes
 * are among that: what a client may publish is taken in and never routed to anybody, so it is committed and acknowledged here (`Publishes`).
 * The client is admitted first, so that Aedes meets verified users only.
 * Out (`Outgoing`): keeps deliveries within what the client takes, and gathers the writes of a tick into one.
 *
 * It has no timers but the one that waits for budget: its owner calls `check` about every second.
 */
export class Gate extends Duplex {
  readonly #parts: GateParts
  readonly #stream: Duplex
  readonly #limits: GateLimits
  readonly #intake: Intake
  readonly #outgoing: Outgoing
  #publishes: Publishes | null = null
  #state: State = 'silent'
  #session: Session | null = null
  #connect: Connect | null = null
  #assignedId: string | null = null
  #entered = false
  #version = 4
  #idleMs = 0
  #since: number

  /** Aedes has not looked yet at what it was given. */
  #readerFull = false
  /** The next frame has to wait until nothing is in flight. */
  #settling = false
  /** Nothing more is taken in. */
  #leaving = false
  /** Why the connection ends as soon as nothing is in flight. */
  #verdict: number | null = null

  constructor(parts: GateParts) {
    // Aedes is never made to wait for a slow reader: such a one is dropped instead.
    super({ writableHighWaterMark: 4 * parts.limits.backlogBytes + parts.limits.maxPacketBytes })
    const { stream, limits } = parts
    this.#parts = parts
    this.#stream = stream
    this.#limits = limits
    this.#since = performance.now()
    const { owesState } = parts
    this.#outgoing = new Outgoing({
      stream,
      limits,
      opens: () => this.#open(),
      stuck: () => this.#drop(),
      owesState: owesState === undefined ? null : () => owesState(this),
    })
    this.on('error', () => {})
    stream.on('error', () => {})
    this.#intake = new Intake({
      stream,
      limits,
      isHeld: () => this.#isHeld(),
      take: (bytes, place) => this.#take(bytes, place),
      violation: (reason) => this.#violation(reason),
      rests: (now) => this.#rest(now),
    })
  }

  /** Who is behind the gate; stays known after the connection has ended, for the will. Null until admitted. */
  get session(): Session | null {
    return this.#session
  }

  /** Publishes that are not settled yet. */
  get inFlight(): number {
    return this.#publishes?.inFlight ?? 0
  }

  /** Whether Aedes has been handed this gate. */
  get entered(): boolean {
    return this.#entered
  }

  /** Whether the state is still to be read for a subscription of this client. */
  get isOwedState(): boolean {
    return this.#outgoing.isOwedState
  }

  /** The state is about to be read: events wait for it from now on. */
  beginState(): void {
    this.#outgoing.beginState()
  }

  /** Sends the state as it was read, ahead of the events that waited for it; null where there is none. */
  tellState(payload: Buffer | null): void {
    if (this.#state === 'open') this.#outgoing.tellState(payload)
  }

  /** Events wait no longer for a state that is late. */
  releaseEvents(): void {
    if (this.#state === 'open') this.#outgoing.releaseEvents()
  }

  /** Calls `then` once the client's stream is closed, which is later than the gate: last words are still on their way. */
  whenStreamClosed(then: () => void): void {
    if (this.#stream.closed) then()
    else this.#stream.once('close', then)
  }

  /** Takes in nothing more; what is in flight still settles and is acknowledged. */
  stopReading(): void {
    this.#leaving = true
    this.#intake.pump()
  }

  /** Ends the connection, telling an MQTT 5 client why. The will fires. */
  expel(reason: number): void {
    if (this.#state === 'over') return
    if (this.#state === 'open' && this.#version === 5) {
      this.#outgoing.send(disconnect(reason, hasRoomForReasonString(this.#connect!) ? disconnectReasons[reason] : ''))
    }
    if (this.#state === 'admitting' || this.#state === 'entering') this.#answerRefusal('unavailable')
    this.destroy()
  }

  /** Ends whoever is too late. `now` in monotonic milliseconds. */
  check(now: number): void {
    this.#outgoing.check(now, this.#limits.stallMs)
    switch (this.#state) {
      case 'silent':
        if (now - this.#since >= this.#limits.connectMs) this.destroy()
        return
      case 'admitting':
      case 'entering':
        if (now - this.#since >= this.#limits.connectMs) this.expel(Reason.serverUnavailable)
        return
      case 'open':
        if (this.#publishes?.isStuck(now, this.#limits.settleMs)) this.expel(Reason.internalError)
        else if (this.#intake.isSilent(now, this.#idleMs)) this.expel(Reason.keepAliveTimeout)
        return
      case 'over':
        return
    }
  }

  // ---- in ----

  #isHeld(): boolean {
    if (this.#leaving || this.#verdict !== null) return true
    if (this.#state !== 'open') return this.#state !== 'silent'
    if (this.#outgoing.unanswered >= MAX_UNANSWERED) return true
    if (this.#readerFull || this.#publishes!.full || (this.#settling && this.inFlight > 0)) return true
    // An SOS that is pressed behind a row or two is read all the same.
    return this.inFlight > MAX_CONGESTED && (this.#parts.isCongested?.(this.#session!) ?? false)
  }

  /** Nothing more can be taken in for now: the moment for what waits until everything is settled. */
  #rest({ isEmpty, hasEnded }: { isEmpty: boolean; hasEnded: boolean }): void {
    if (this.inFlight > 0) return
    if (this.#verdict !== null) this.expel(this.#verdict)
    // Whatever the client managed to send has been taken in.
    else if (hasEnded && (isEmpty || this.#leaving)) this.destroy()
  }

  /** One frame. False: not now. */
  #take(bytes: Buffer, place: FramePlace): boolean {
    this.#settling = false
    const { at, body, end } = place
    if (isPublish(bytes, at)) {
      this.#publish(bytes, place)
      return true
    }
    return this.#takeOther(bytes.subarray(at, end), body - at)
  }

  #publish(bytes: Buffer, place: FramePlace): void {
    if (this.#state !== 'open') {
      this.#violation(Reason.protocolError)
      return
    }
    const publish = readPublish(bytes, place, this.#version)
    if (typeof publish === 'number') this.#violation(publish)
    else this.#publishes!.take(publish, place.end - place.at)
  }

  /** Everything but PUBLISH. False: not now. */
  #takeOther(frame: Buffer, body: number): boolean {
    const type = frame[0]! >> 4
    if (this.#state === 'silent') {
      if (frame[0] === PacketType.connect << 4) this.#admit(frame, body).catch(() => this.destroy())
      else this.destroy()
      return true
    }
    const flags = type === PacketType.pubrel || type === PacketType.subscribe || type === PacketType.unsubscribe ? 2 : 0
    if ((frame[0]! & 0x0f) !== flags) {
      this.#violation(Reason.malformed)
      return true
    }
    switch (type) {
      case PacketType.pingreq:
        if (frame.length > body) this.#violation(Reason.malformed)
        else this.#outgoing.send(PINGRESP)
        return true
      case PacketType.puback:
      case PacketType.pubrec:
      case PacketType.pubrel:
      case PacketType.pubcomp:
        if (frame.length < body + 2) this.#violation(Reason.malformed)
        else this.#acknowledged(type, frame.readUInt16BE(body))
        return true
      case PacketType.subscribe:
      case PacketType.unsubscribe:
        this.#subscribe(frame)
        return true
      case PacketType.disconnect:
        // Let the acknowledgements go out first.
        if (this.inFlight > 0) {
          this.#settling = true
          return false
        }
        this.#sayGoodbye(frame[body])
        return true
      default:
        this.#violation(Reason.protocolError)
        return true
    }
  }

  #acknowledged(type: number, id: number): void {
    switch (type) {
      case PacketType.puback:
        this.#outgoing.acknowledged(id)
        return
      case PacketType.pubrec:
        // Nothing is sent at QoS 2.
        this.#outgoing.send(acknowledgement(PacketType.pubrel, id, this.#version, Reason.packetIdNotFound))
        return
      case PacketType.pubrel:
        this.#publishes!.release(id)
        return
    }
  }

  #subscribe(frame: Buffer): void {
    const own = eventTopics(this.#session!)
    const plan = planSubscription(frame, this.#version, (topic) => own.includes(topic))
    if (plan === null) {
      this.#violation(Reason.malformed)
      return
    }
    this.#intake.charge({ messages: plan.codes.length, ms: plan.forward === null ? 0 : SUBSCRIPTION_MS })
    if (plan.codes.some((code) => typeof code === 'number')) {
      this.#parts.refused(frame[0]! >> 4 === PacketType.subscribe ? 'subscribe' : 'unsubscribe')
    }
    if (plan.forward === null) {
      this.#outgoing.send(answerPlan(plan, new Uint8Array()))
      return
    }
    this.#outgoing.expect(plan)
    if (!this.push(plan.forward)) this.#readerFull = true
  }

  /** An own frame in place of the client's: a reason other than "with will" (0x04) discards the will. */
  #sayGoodbye(reason: number | undefined): void {
    this.#leaving = true
    this.push(this.#version === 5 ? disconnect(reason === 4 ? 4 : 0) : Buffer.from([PacketType.disconnect << 4, 0]))
  }

  async #admit(frame: Buffer, body: number): Promise<void> {
    this.#enterState('admitting')
    const read = readConnect(Buffer.from(frame), body)
    this.#version = read.version
    if ('refused' in read) {
      this.#refuse(read.refused)
      return
    }
    if (read.clientId === '') this.#assignedId = `tocsin-${randomUUID()}`
    const connect = { ...read, clientId: this.#assignedId ?? read.clientId }
    this.#connect = connect
    let admission: Admission
    try {
      admission = await this.#parts.admit(connect, this)
    } catch {
      admission = { refused: 'unavailable' }
    }
    if (this.destroyed) return
    if ('refused' in admission) {
      this.#refuse(admission.refused)
      return
    }
    const { session } = admission
    this.#session = session
    this.#idleMs = idleMs(connect)
    const share = this.#parts.shares.join(session.userId)
    this.once('close', share.leaves)
    this.#intake.admit(share.time)
    this.#outgoing.admit(connect)
    this.#publishes = new Publishes({
      session,
      connect,
      limits: this.#limits,
      take: this.#parts.take,
      isOver: () => this.#state === 'over',
      send: this.#outgoing.send,
      violation: (reason) => this.#violation(reason),
      failed: () => this.expel(Reason.internalError),
      settled: this.#intake.pump,
    })
    this.#enterState('entering')
    this.#entered = true
    this.#parts.enter(this)
    this.push(admittedConnect(connect, admission.scopedId))
  }

  #refuse(refused: ConnectRefusal): void {
    this.#answerRefusal(refused)
    this.destroy()
  }

  #answerRefusal(refused: ConnectRefusal): void {
    const words = refusal(refused, this.#version)
    if (words) this.#outgoing.send(words)
  }

  #enterState(state: State): void {
    this.#state = state
    this.#since = performance.now()
  }

  /**
   * The client broke the protocol: nothing more is taken in. What came before still settles; then the client is told, where its version
   * has words for it, and the connection ends.
   */
  #violation(reason: number): void {
    if (this.#state === 'open') this.#verdict = reason
    else this.destroy()
  }

  override _read(): void {
    if (!this.#readerFull) return
    this.#readerFull = false
    this.#intake.pump()
  }

  // ---- out ----

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#pass(chunk)
    done()
  }

  override _writev(chunks: { chunk: Buffer }[], done: () => void): void {
    this.#pass(Buffer.concat(chunks.map(({ chunk }) => chunk)))
    done()
  }

  #pass(written: Buffer): void {
    this.#outgoing.pass(written)
    this.#intake.pump()
  }

  /** Aedes has the client in its books: now the client is told, in the gate's own words. */
  #open(): Buffer {
    this.#enterState('open')
    return acceptance(this.#connect!, {
      maxPacketBytes: this.#limits.maxPacketBytes,
      receiveMaximum: this.#limits.receiveMaximum,
      assignedClientId: this.#assignedId,
    })
  }

  // ---- the end ----

  /** A reader that does not read: no last words, they would not arrive. */
  #drop(): void {
    this.#stream.destroy()
    this.destroy()
  }

  override _destroy(_error: Error | null, done: (error?: Error | null) => void): void {
    const wasSilent = this.#state === 'silent'
    this.#enterState('over')
    this.#intake.close()
    this.#outgoing.flush()
    if (wasSilent) this.#stream.destroy()
    else this.#linger()
    done(null)
  }

  /** Closing with unread bytes in the socket would reset the connection and take the last words with it. */
  #linger(): void {
    if (this.#stream.destroyed) return
    this.#stream.end()
    let discarded = 0
    this.#stream.on('data', (chunk: Buffer) => {
      discarded += chunk.length
      if (discarded > LINGER_BYTES) this.#stream.destroy()
    })
    this.#stream.resume()
    const timer = setTimeout(() => this.#stream.destroy(), LINGER_MS)
    this.#stream.once('close', () => clearTimeout(timer))
  }
}
