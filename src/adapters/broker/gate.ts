import { randomUUID } from 'node:crypto'
import { Duplex } from 'node:stream'
import type { Session } from '../../core/session.ts'
import { maySubscribe } from '../../core/topic.ts'
import {
  acceptance,
  admittedConnect,
  type Connect,
  type ConnectRefusal,
  idleMs,
  readConnect,
  refusal,
} from './connect.ts'
import { DeliveryWindow } from './delivery-window.ts'
import { ExactlyOnce } from './exactly-once.ts'
import {
  acknowledgement,
  disconnect,
  headerBytes,
  INCOMPLETE,
  MALFORMED,
  PacketType,
  PINGRESP,
  parseFrame,
  Reason,
  remainingLength,
} from './frame.ts'
import type { GateLimits } from './limits.ts'
import { Outbound } from './outbound.ts'
import { isPublish, type Publish, readPublish } from './publish-frame.ts'
import { Reassembly } from './reassembly.ts'
import { answerPlan, planSubscription, type SubscriptionPlan } from './subscription.ts'
import { Budget, Window } from './window.ts'

/** Bytes of a packet before the client is known. */
const UNKNOWN_PACKET_BYTES = 4096
/** MQTT 3.1.1 has no Receive Maximum to announce, and clients send a whole backlog before the first PUBREL. */
const HALF_OPEN_WITHOUT_MAXIMUM = 16_384
/** How long a closed connection may take to read its last words. */
const LINGER_MS = 2000

export type Admitted = { readonly session: Session; readonly scopedId: string }
export type Admission = Admitted | { readonly refused: ConnectRefusal }

export type GateParts = {
  readonly stream: Duplex
  readonly limits: GateLimits
  /** Decides over a CONNECT; an id is already assigned to a client without one. */
  readonly admit: (connect: Connect, gate: Gate) => Promise<Admission>
  /** Hands the gate to Aedes; called once, for an admitted client only. */
  readonly enter: (gate: Gate) => void
  /** Takes in one publish of an admitted client. Resolves after its commit; rejects where it could not be committed. */
  readonly take: (session: Session, publish: Publish) => Promise<Taken>
  /** Told of each subscription that the gate refused itself. */
  readonly refused: (operation: 'subscribe' | 'unsubscribe') => void
}

/** What became of a publish: `dead_lettered` is kept but of no use, `refused` was not allowed. */
export type Taken = 'stored' | 'dead_lettered' | 'refused'

const reasons = {
  stored: Reason.success,
  dead_lettered: Reason.payloadFormatInvalid,
  refused: Reason.notAuthorized,
} as const satisfies Record<Taken, number>

const reasonWords = {
  stored: '',
  dead_lettered: 'kept, but of no use',
  refused: 'topic not allowed',
} as const satisfies Record<Taken, string>

type State = 'silent' | 'admitting' | 'entering' | 'open' | 'over'

/**
 * Stands between a client's stream (tcp, tls, WebSocket) and Aedes: nothing reaches Aedes as it comes from the wire.
 *
 * In: cuts the stream into frames, bounds them, and answers itself what Aedes need not see. Publishes are among that: what a client may
 * publish is taken in and never routed to anybody, so it is committed and acknowledged here, at every QoS. It admits the client first, so
 * that Aedes meets verified users only. Back-pressure is not reading on, which drops nobody.
 * Out: keeps deliveries within what the client takes, and gathers the writes of a tick into one.
 *
 * It has no timers but the one that waits for budget: its owner calls `check` about every second.
 */
export class Gate extends Duplex {
  readonly #parts: GateParts
  readonly #stream: Duplex
  readonly #limits: GateLimits
  readonly #out: Outbound
  readonly #window: Window
  readonly #bytes: Budget
  readonly #messages: Budget
  #state: State = 'silent'
  #session: Session | null = null
  #connect: Connect | null = null
  #assignedId: string | null = null
  #entered = false
  #version = 4
  #mostBytes = UNKNOWN_PACKET_BYTES
  #idleMs = 0

  readonly #torn = new Reassembly()
  /** What is being cut. */
  #current: Buffer | null = null
  /** A part of a frame that Aedes is still writing. */
  #outgoing: Buffer | null = null

  #pumping = false
  #paused = false
  #ended = false
  #readerFull = false
  /** The next frame has to wait until nothing is in flight. */
  #settling = false
  #pumpingSoon = false
  /** Nothing more is taken in. */
  #leaving = false
  /** Why the connection ends as soon as nothing is in flight. */
  #verdict: number | null = null
  #budgetTimer: NodeJS.Timeout | null = null
  #lastSeen: number
  #since: number
  #settledAt = 0

  #exactlyOnce = new ExactlyOnce(HALF_OPEN_WITHOUT_MAXIMUM)
  readonly #plans = new Map<number, SubscriptionPlan>()
  #deliveries: DeliveryWindow | null = null

  constructor(parts: GateParts) {
    // Aedes is never made to wait for a slow reader: such a one is dropped instead.
    super({ writableHighWaterMark: 4 * parts.limits.backlogBytes + parts.limits.maxPacketBytes })
    const { stream, limits } = parts
    const now = performance.now()
    this.#parts = parts
    this.#stream = stream
    this.#limits = limits
    this.#out = new Outbound(stream, limits.backlogBytes, () => this.#drop())
    this.#window = new Window(limits.inFlight, limits.inFlightBytes)
    this.#bytes = new Budget(limits.bytesPerSecond, now)
    this.#messages = new Budget(limits.messagesPerSecond, now)
    this.#lastSeen = now
    this.#since = now
    this.on('error', () => {})
    stream.on('error', () => {})
    stream.on('end', () => this.#peerLeft())
    stream.on('close', () => this.#peerLeft())
    stream.on('data', (chunk: Buffer) => this.#receive(chunk))
  }

  /** Who is behind the gate; stays known after the connection has ended, for the will. Null until admitted. */
  get session(): Session | null {
    return this.#session
  }

  /** Publishes that are not settled yet. */
  get inFlight(): number {
    return this.#window.count
  }

  /** Whether Aedes has been handed this gate. */
  get entered(): boolean {
    return this.#entered
  }

  /** Calls `then` once the client's stream is closed, which is later than the gate: last words are still on their way. */
  whenStreamClosed(then: () => void): void {
    if (this.#stream.closed) then()
    else this.#stream.once('close', then)
  }

  /** Takes in nothing more; what is in flight still settles and is acknowledged. */
  stopReading(): void {
    this.#leaving = true
    this.#pump()
  }

  /** Ends the connection, telling an MQTT 5 client why. The will fires. */
  expel(reason: number): void {
    if (this.#state === 'over') return
    if (this.#state === 'open' && this.#version === 5) this.#out.send(disconnect(reason))
    else if (this.#state === 'admitting' || this.#state === 'entering') this.#answerRefusal('unavailable')
    this.destroy()
  }

  /** Ends whoever is too late. `now` in monotonic milliseconds. */
  check(now: number): void {
    this.#out.giveUpIfStalled(now, this.#limits.stallMs)
    switch (this.#state) {
      case 'silent':
        if (now - this.#since >= this.#limits.connectMs) this.destroy()
        return
      case 'admitting':
      case 'entering':
        if (now - this.#since >= this.#limits.connectMs) this.expel(Reason.serverUnavailable)
        return
      case 'open':
        if (this.#window.count > 0 && now - this.#settledAt >= this.#limits.settleMs) this.expel(Reason.internalError)
        else if (!this.#paused && now - this.#lastSeen >= this.#idleMs) this.expel(Reason.keepAliveTimeout)
        return
      case 'over':
        return
    }
  }

  // ---- in ----

  #receive(chunk: Buffer): void {
    if (this.destroyed) return
    this.#lastSeen = performance.now()
    this.#torn.add(chunk)
    this.#pump()
  }

  #peerLeft(): void {
    if (this.#ended) return
    this.#ended = true
    this.#pump()
  }

  #blocked(): boolean {
    if (this.#leaving || this.#verdict !== null) return true
    if (this.#state !== 'open') return this.#state !== 'silent'
    if (this.#readerFull || this.#window.full || (this.#settling && this.#window.count > 0)) return true
    return this.#overBudget()
  }

  #overBudget(): boolean {
    if (!this.#bytes.spent && !this.#messages.spent) return false
    const now = performance.now()
    this.#bytes.refill(now)
    this.#messages.refill(now)
    const wait = Math.max(this.#bytes.waitMs(), this.#messages.waitMs())
    if (wait === 0) return false
    this.#budgetTimer ??= setTimeout(() => {
      this.#budgetTimer = null
      this.#pump()
    }, wait)
    return true
  }

  /** Passes on what may be passed on, then reads on or stops reading. */
  #pump(): void {
    if (this.#pumping || this.destroyed) return
    this.#pumping = true
    while (!this.destroyed) {
      this.#current ??= this.#torn.next()
      if (this.#current === null || this.#blocked()) break
      this.#settling = false
      const used = this.#cut(this.#current)
      this.#current = this.#current !== null && used < this.#current.length ? this.#current.subarray(used) : null
    }
    this.#pumping = false
    if (this.destroyed || this.#window.count > 0) {
      this.#steer()
    } else if (this.#verdict !== null) {
      this.expel(this.#verdict)
    } else if (this.#ended && (this.#current === null || this.#leaving)) {
      // Whatever the client managed to send has been taken in.
      this.destroy()
    } else {
      this.#steer()
    }
  }

  #steer(): void {
    const pause = this.#current !== null || this.#blocked()
    if (pause === this.#paused || this.destroyed) return
    this.#paused = pause
    if (pause) {
      this.#stream.pause()
      return
    }
    // The client could not be heard while nobody was listening.
    this.#lastSeen = performance.now()
    this.#stream.resume()
  }

  /** Takes in frames from the beginning of `bytes` as long as nothing stops it, and answers how many bytes it is done with. */
  #cut(bytes: Buffer): number {
    let at = 0
    while (at < bytes.length) {
      const remaining = remainingLength(bytes, at)
      if (remaining === MALFORMED) {
        this.#violation(Reason.malformed)
        return at
      }
      if (remaining === INCOMPLETE) {
        this.#torn.keepHead(bytes.subarray(at))
        return bytes.length
      }
      const body = at + headerBytes(remaining)
      const end = body + remaining
      if (end - at > this.#mostBytes) {
        this.#violation(Reason.packetTooLarge)
        return at
      }
      if (end > bytes.length) {
        this.#torn.keep(bytes.subarray(at), end - at)
        return bytes.length
      }
      this.#bytes.spend(end - at)
      this.#messages.spend(1)
      if (isPublish(bytes, at)) this.#publish(bytes, { at, body, end })
      else if (!this.#take(bytes.subarray(at, end), body - at)) return at
      at = end
      if (this.#state !== 'open' || !this.#mayGoOn()) return at
    }
    return at
  }

  /** The cheap part of `#blocked`, for the loop over frames. */
  #mayGoOn(): boolean {
    return this.#verdict === null && !this.#leaving && !this.#window.full && !this.#bytes.spent && !this.#messages.spent
  }

  /** One PUBLISH frame. What it carries is committed before it is acknowledged, and handed in within this very call. */
  #publish(bytes: Buffer, frame: { readonly at: number; readonly body: number; readonly end: number }): void {
    if (this.#state !== 'open') {
      this.#violation(Reason.protocolError)
      return
    }
    const publish = readPublish(bytes, frame, this.#version)
    if (typeof publish === 'number') {
      this.#violation(publish)
      return
    }
    if (!this.#isNew(publish)) return
    const { id } = publish
    if (this.#window.count === 0) this.#settledAt = performance.now()
    this.#window.take(id, frame.end - frame.at)
    this.#parts.take(this.#session!, publish).then(
      (taken) => {
        this.#giveBack(id)
        this.#acknowledge(publish, taken)
        this.#pumpSoon()
      },
      // No acknowledgement and no connection, so that the client sends it again (Decisions 3).
      () => this.expel(Reason.internalError),
    )
  }

  /** Whether a publish is to be taken in: one at QoS 2 that was sent before is answered as it was then. */
  #isNew({ qos, id }: Publish): boolean {
    if (qos === 1 && this.#exactlyOnce.has(id)) this.#violation(Reason.protocolError)
    if (qos !== 2) return this.#verdict === null
    const begun = this.#exactlyOnce.begin(id)
    switch (begun) {
      case 'new':
        return true
      case 'pending':
        return false
      case 'stored':
        this.#out.send(acknowledgement(PacketType.pubrec, id, this.#version))
        return false
      case 'too_many':
        this.#violation(Reason.receiveMaximumExceeded)
        return false
      default:
        return begun satisfies never
    }
  }

  /** Decisions 3: a refusal closes a 3.1.1 connection and answers a v5 one, which is told of a dead letter too. */
  #acknowledge({ qos, id }: Publish, taken: Taken): void {
    if (this.#state === 'over') return
    if (taken === 'refused' && this.#version !== 5) {
      this.#violation(Reason.notAuthorized)
      return
    }
    if (qos === 0) return
    const reason = this.#version === 5 ? reasons[taken] : Reason.success
    if (qos === 2) this.#exactlyOnce.received(id, reason)
    const type = qos === 1 ? PacketType.puback : PacketType.pubrec
    const words = this.#connect!.wantsProblemInformation ? reasonWords[taken] : ''
    this.#out.send(acknowledgement(type, id, this.#version, reason, words))
  }

  /** Once for all publishes that a commit has settled. */
  #pumpSoon(): void {
    if (this.#pumpingSoon) return
    this.#pumpingSoon = true
    process.nextTick(() => {
      this.#pumpingSoon = false
      this.#pump()
    })
  }

  /** Everything but PUBLISH. False: not now. */
  #take(frame: Buffer, body: number): boolean {
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
        this.#out.send(PINGRESP)
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
        if (this.#window.count > 0) {
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
      case PacketType.puback: {
        const next = this.#deliveries?.acknowledge(id)
        if (next) this.#out.send(next)
        return
      }
      case PacketType.pubrec:
        // Nothing is sent at QoS 2.
        this.#out.send(acknowledgement(PacketType.pubrel, id, this.#version, Reason.packetIdNotFound))
        return
      case PacketType.pubrel: {
        const reason = this.#exactlyOnce.release(id)
        if (reason === null) this.#violation(Reason.protocolError)
        else this.#out.send(acknowledgement(PacketType.pubcomp, id, this.#version, reason))
        return
      }
    }
  }

  #subscribe(frame: Buffer): void {
    const plan = planSubscription(frame, this.#version, (topic) => maySubscribe(topic, this.#session!))
    if (plan === null) {
      this.#violation(Reason.malformed)
      return
    }
    this.#messages.spend(plan.codes.length)
    if (plan.codes.some((code) => typeof code === 'number')) {
      this.#parts.refused(frame[0]! >> 4 === PacketType.subscribe ? 'subscribe' : 'unsubscribe')
    }
    if (plan.forward === null) {
      this.#out.send(answerPlan(plan, new Uint8Array()))
      return
    }
    this.#plans.set(plan.id, plan)
    this.push(plan.forward)
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
    this.#session = admission.session
    this.#mostBytes = this.#limits.maxPacketBytes
    this.#idleMs = idleMs(connect)
    if (connect.version === 5) this.#exactlyOnce = new ExactlyOnce(this.#limits.receiveMaximum)
    this.#deliveries = new DeliveryWindow(connect.receiveMaximum, this.#limits.backlogBytes)
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
    if (words) this.#out.send(words)
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
    this.#pump()
  }

  // ---- out ----

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#send(chunk)
    done()
  }

  override _writev(chunks: { chunk: Buffer }[], done: () => void): void {
    this.#send(Buffer.concat(chunks.map(({ chunk }) => chunk)))
    done()
  }

  #send(written: Buffer): void {
    const bytes = this.#outgoing === null ? written : Buffer.concat([this.#outgoing, written])
    this.#outgoing = null
    let sentUpTo = 0
    let at = 0
    const send = (): void => {
      if (at > sentUpTo) this.#out.send(bytes.subarray(sentUpTo, at))
    }
    while (at < bytes.length) {
      const remaining = remainingLength(bytes, at)
      const body = at + headerBytes(Math.max(0, remaining))
      if (remaining < 0 || body + remaining > bytes.length) {
        send()
        this.#outgoing = bytes.subarray(at)
        sentUpTo = bytes.length
        break
      }
      const end = body + remaining
      const replaced = this.#watch(bytes, at, body, end)
      if (replaced !== undefined) {
        send()
        sentUpTo = end
        if (replaced !== null) this.#out.send(replaced)
      }
      at = end
    }
    if (this.#outgoing === null) send()
    this.#pump()
  }

  /** A frame of Aedes: the bytes that go out in its place, null for nothing, undefined to let it pass. */
  #watch(bytes: Buffer, at: number, body: number, end: number): Buffer | null | undefined {
    switch (bytes[at]! >> 4) {
      case PacketType.connack:
        return this.#open()
      case PacketType.publish:
        return this.#deliver(bytes, at, body, end)
      case PacketType.suback:
      case PacketType.unsuback: {
        const id = bytes.readUInt16BE(body)
        const plan = this.#plans.get(id)
        this.#plans.delete(id)
        return plan && answerPlan(plan, grantedIn(bytes.subarray(at, end), this.#version))
      }
      default:
        return undefined
    }
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

  #deliver(bytes: Buffer, at: number, body: number, end: number): null | undefined {
    // MQTT 5, 3.1.2.11.4: what is too large for the client is dropped as if it had been sent.
    if (end - at > this.#connect!.maximumPacketSize) return null
    if ((bytes[at]! & 0x06) === 0) return undefined
    const id = bytes.readUInt16BE(body + 2 + bytes.readUInt16BE(body))
    const step = this.#deliveries!.offer(id, bytes.subarray(at, end))
    if (step === 'behind') this.#drop()
    return step === 'send' ? undefined : null
  }

  #giveBack(id: number): void {
    this.#window.giveBack(id)
    this.#settledAt = performance.now()
  }

  // ---- the end ----

  /** A reader that does not read: no last words, they would not arrive. */
  #drop(): void {
    this.#stream.destroy()
    this.destroy()
  }

  override _destroy(_error: Error | null, done: (error?: Error | null) => void): void {
    this.#enterState('over')
    if (this.#budgetTimer) clearTimeout(this.#budgetTimer)
    this.#torn.clear()
    this.#current = null
    this.#out.flush()
    this.#linger()
    done(null)
  }

  /** Closing with unread bytes in the socket would reset the connection and take the last words with it. */
  #linger(): void {
    if (this.#stream.destroyed) return
    this.#stream.end()
    this.#stream.resume()
    const timer = setTimeout(() => this.#stream.destroy(), LINGER_MS)
    this.#stream.once('close', () => clearTimeout(timer))
  }
}

function grantedIn(frame: Buffer, version: number): Uint8Array {
  const packet = parseFrame(frame, version)
  if (packet?.cmd !== 'suback' && packet?.cmd !== 'unsuback') return new Uint8Array()
  return Uint8Array.from((packet.granted ?? []) as number[])
}
