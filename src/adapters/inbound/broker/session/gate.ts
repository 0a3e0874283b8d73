import { randomUUID } from 'node:crypto'
import { Duplex } from 'node:stream'
import { type ClientSession, principalOf } from '../../../../core/account/session.ts'
import { ignore } from '../../../../lib/ignore.ts'
import { Outgoing, type OutgoingNeeds } from '../delivery/outgoing.ts'
import { acceptance, refusal } from '../wire/connack.ts'
import { admittedConnect, type Connect, type ConnectRefusal, readConnect } from '../wire/connect.ts'
import { disconnectFor } from '../wire/disconnect.ts'
import { type FramePlace, PacketType, Reason } from '../wire/frame.ts'
import { AdmittedClient } from './client.ts'
import type { Admit, ClientConnection, ClientServices } from './client-connection.ts'
import { Intake } from './intake.ts'
import { linger } from './linger.ts'
import type { Shares } from './shares.ts'

/** Shared by all gates. */
export type GateServices = ClientServices & {
  readonly shares: Shares
  /** Hands the gate to Aedes. Called once, and only for an admitted client. */
  readonly enter: (gate: Gate) => void
  /** Reads the state for a client that has subscribed. Without it, clients get events only. */
  readonly states?: OutgoingNeeds['states']
}

/**
 * `silent`: no CONNECT yet. `admitting`: the credentials are being checked. `entering`: Aedes has the client, but has
 * not sent its CONNACK.
 */
type State = 'silent' | 'admitting' | 'entering' | 'open' | 'over'

/**
 * Stands between a client's stream (TCP, TLS, WebSocket) and Aedes: no raw input reaches Aedes.
 *
 * In (`Intake`): cuts the stream into frames and bounds them. The first has to be the CONNECT; the client is admitted
 * before Aedes sees it. Its other packets go to `AdmittedClient`, which commits and acknowledges publishes itself: a
 * client's publish is never routed to another client.
 *
 * Out (`Outgoing`): keeps deliveries within the client's limits and coalesces the writes of a tick.
 *
 * Its only timer is the wait for budget; its owner calls `check` about every second.
 */
export class Gate extends Duplex {
  readonly #services: GateServices
  readonly #stream: Duplex
  readonly #admits: Admit
  readonly #intake: Intake
  readonly #outgoing: Outgoing
  #state: State = 'silent'
  #since: number
  #version = 4
  /** Null until admitted. Kept after the connection has ended, for the will. */
  #client: AdmittedClient | null = null
  #leaveShare: (() => void) | null = null
  #withholdsWill = false
  /** Aedes has not read its input yet. */
  #readerFull = false
  /** Nothing more is read. */
  #leaving = false
  /** The reason code with which the connection ends as soon as nothing is in flight. */
  #verdict: number | null = null

  constructor(stream: Duplex, admits: Admit, services: GateServices, acceptedAt = performance.now()) {
    const { limits, states = null } = services
    // Aedes never waits for a slow reader; the gate drops the reader instead.
    super({ writableHighWaterMark: 4 * limits.backlogBytes + limits.maxPacketBytes })
    this.#services = services
    this.#stream = stream
    this.#admits = admits
    this.#since = acceptedAt
    this.#outgoing = new Outgoing({
      stream,
      limits,
      states,
      opens: () => this.#open(),
      stuck: () => this.#drop(),
    })
    this.on('error', ignore)
    stream.on('error', ignore)
    this.#intake = new Intake({
      stream,
      limits,
      isHeld: () => this.#isHeld(),
      take: (bytes, place) => this.#takeFirst(bytes, place),
      violation: this.#violation,
      rests: (now) => this.#rest(now),
    })
  }

  /** The client's session; null until admitted. */
  get session(): ClientSession | null {
    return this.#client?.session ?? null
  }

  /** Publishes that have not settled. */
  get inFlight(): number {
    return this.#client?.publishes.inFlight ?? 0
  }

  /** Whether Aedes has been given this gate. */
  get entered(): boolean {
    return this.#client !== null
  }

  /** Whether the will is withheld when the connection ends. */
  get withholdsWill(): boolean {
    return this.#withholdsWill
  }

  /**
   * Calls `then` once the client's stream is closed. That is later than the gate, because the last packets are still on
   * their way.
   */
  whenStreamClosed(then: () => void): void {
    if (this.#stream.closed) then()
    else this.#stream.once('close', then)
  }

  /** Stops reading; publishes in flight still settle and are acknowledged. */
  stopReading(): void {
    this.#leaving = true
    this.#intake.pump()
  }

  /** Ends the connection and tells an MQTT 5 client why. The will fires. */
  expel(reason: number): void {
    if (this.#state === 'over') return
    const bytes = this.#state === 'open' ? disconnectFor(this.#client!.connect, reason) : null
    if (bytes !== null) this.#outgoing.send(bytes)
    if (this.#state === 'admitting' || this.#state === 'entering') this.#answerRefusal('unavailable')
    this.destroy()
  }

  /** Ends the connection as `expel` does, but the will does not fire. */
  expelWithoutWill(reason: number): void {
    this.#withholdsWill = true
    this.expel(reason)
  }

  /** Ends the connection if it is overdue. `now` in monotonic milliseconds. */
  check(now: number): void {
    const { stallMs, connectMs } = this.#services.limits
    this.#outgoing.check(now, stallMs)
    const isLate = now - this.#since >= connectMs
    switch (this.#state) {
      case 'silent':
        if (isLate) this.destroy()
        return
      case 'admitting':
      case 'entering':
        if (isLate) this.expel(Reason.serverUnavailable)
        return
      case 'open': {
        const reason = this.#client!.overdue(now)
        if (reason !== null) this.expel(reason)
        return
      }
      case 'over':
        return
    }
  }

  #enterState(state: State): void {
    this.#state = state
    this.#since = performance.now()
  }

  // ---- in ----

  #isHeld(): boolean {
    if (this.#leaving || this.#verdict !== null) return true
    if (this.#state !== 'open') return this.#state !== 'silent'
    return this.#readerFull || this.#client!.isHeld()
  }

  /** Nothing more can be read for now, so act on whatever was waiting for publishes in flight to settle. */
  #rest({ isEmpty, hasEnded }: { isEmpty: boolean; hasEnded: boolean }): void {
    if (this.inFlight > 0) return
    if (this.#verdict !== null) this.expel(this.#verdict)
    // Everything that the client managed to send has been handled.
    else if (hasEnded && (isEmpty || this.#leaving)) this.destroy()
  }

  /** The first frame has to be the CONNECT; later ones wait. */
  #takeFirst(bytes: Buffer, { at, body, end }: FramePlace): true {
    const frame = bytes.subarray(at, end)
    if (frame[0] === PacketType.connect << 4) this.#admit(frame, body - at).catch(() => this.destroy())
    else this.destroy()
    return true
  }

  async #admit(frame: Buffer, body: number): Promise<void> {
    this.#enterState('admitting')
    const read = readConnect(frame, body)
    this.#version = read.version
    if ('refused' in read) return this.#refuse(read.refused)
    const connect = read.clientId === '' ? { ...read, clientId: `tocsin-${randomUUID()}`, hasAssignedId: true } : read
    const admission = await this.#admits(connect).catch(() => ({ refused: 'unavailable' }) as const)
    if (this.destroyed) return
    if ('refused' in admission) return this.#refuse(admission.refused)
    // The credentials have served, and the connection may last for days.
    this.#enter(admission.session, { ...connect, username: null, password: '' })
    this.push(admittedConnect(connect, admission.scopedId))
  }

  #enter(session: ClientSession, connect: Connect): void {
    const [intake, outgoing] = [this.#intake, this.#outgoing]
    const share = this.#services.shares.join(principalOf(session))
    this.#leaveShare = share.leaves
    outgoing.admit(session, connect)
    const connection: ClientConnection = {
      session,
      connect,
      intake,
      outgoing,
      relay: (frame) => {
        if (!this.push(frame)) this.#readerFull = true
      },
      violation: this.#violation,
      leaves: (firesWill) => {
        this.#leaving = true
        // Not left to Aedes: the stream may end before it has read the DISCONNECT.
        if (!firesWill) this.#withholdsWill = true
      },
      expel: (reason) => this.expel(reason),
      isOver: () => this.#state === 'over',
    }
    this.#client = new AdmittedClient(connection, this.#services)
    intake.admit(share, this.#client)
    this.#enterState('entering')
    this.#services.enter(this)
  }

  #refuse(refused: ConnectRefusal): void {
    this.#answerRefusal(refused)
    this.destroy()
  }

  #answerRefusal(refused: ConnectRefusal): void {
    const bytes = refusal(refused, this.#version)
    if (bytes) this.#outgoing.send(bytes)
  }

  /**
   * The client broke the protocol, so nothing more is read. Earlier publishes still settle; then the connection ends,
   * with a reason code if the protocol version has one.
   */
  readonly #violation = (reason: number): void => {
    if (this.#state !== 'open') this.destroy()
    this.#verdict = reason
    this.#intake.pump()
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

  /** Aedes has accepted the client. The gate sends its own CONNACK. */
  #open(): Buffer {
    this.#enterState('open')
    return acceptance(this.#client!.connect, this.#services.limits)
  }

  // ---- the end ----

  /** The client has stopped reading: last packets would not arrive, so none are sent. */
  #drop(): void {
    this.#stream.destroy()
    this.destroy()
  }

  override _destroy(_error: Error | null, done: (error?: Error | null) => void): void {
    const wasSilent = this.#state === 'silent'
    this.#enterState('over')
    this.#intake.close()
    this.#outgoing.close()
    this.#leaveShare?.()
    if (wasSilent) this.#stream.destroy()
    else linger(this.#stream)
    done(null)
  }
}
