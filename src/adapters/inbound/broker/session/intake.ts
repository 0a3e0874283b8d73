import type { Duplex } from 'node:stream'
import { Bucket } from '../../../../core/pacing/bucket.ts'
import { FIRST_BYTES, FRAMES_PER_LOOK, type GateLimits, UNKNOWN_PACKET_BYTES, USER_SLICE_MS } from '../limits.ts'
import { type FramePlace, headerBytes, INCOMPLETE, MALFORMED, Reason, remainingLength } from '../wire/frame.ts'
import { Reassembly } from '../wire/reassembly.ts'
import type { Share } from './shares.ts'

export type IntakeNeeds = {
  readonly stream: Duplex
  readonly limits: GateLimits
  /** Whether the next frame has to wait, for any reason except the budget. */
  readonly isHeld: () => boolean
  /** Handles frames until the client is admitted. False: not now; the next `pump` offers the frame again. */
  readonly take: (bytes: Buffer, place: FramePlace) => boolean
  /** The input is not MQTT, or exceeds a limit. */
  readonly violation: (reason: number) => void
  /** Nothing more can be handled for now. `isEmpty`: because there is no input; `hasEnded`: the client has left. */
  readonly rests: (now: { readonly isEmpty: boolean; readonly hasEnded: boolean }) => void
}

/**
 * The incoming half of a gate: cuts the stream into frames and bounds them before they are buffered. Back-pressure
 * means that it stops reading; no client is dropped. Its only timer is the wait for budget.
 */
export class Intake {
  readonly #needs: IntakeNeeds
  readonly #bytes: Bucket
  #messages: Bucket
  readonly #first: Bucket
  /**
   * The user's main-thread time, shared with their other connections. Not needed before login, when there is at most
   * one packet.
   */
  #share: Share | null = null
  /** Whether this connection waits for its turn among those of the user. */
  #isInLine = false
  #hasTurn = false
  readonly #torn = new Reassembly()
  /** The bytes being cut into frames. */
  #current: Buffer | null = null
  #maxBytes = UNKNOWN_PACKET_BYTES
  #take: IntakeNeeds['take']
  #pumping = false
  #pumpsSoon = false
  #paused = false
  #ended = false
  #closed = false
  #budgetTimer: NodeJS.Timeout | null = null
  #lastSeen: number

  constructor(needs: IntakeNeeds) {
    const { stream, limits } = needs
    const now = performance.now()
    this.#needs = needs
    this.#take = needs.take
    this.#bytes = new Bucket(limits.bytesPerSecond, now)
    this.#messages = new Bucket(limits.messagesPerSecond, now)
    this.#first = new Bucket(FIRST_BYTES.perSecond, now, FIRST_BYTES.atOnce)
    this.#lastSeen = now
    stream.on('end', () => this.#peerLeft())
    stream.on('close', () => this.#peerLeft())
    stream.on('data', (chunk: Buffer) => this.#receive(chunk))
  }

  /**
   * The client is known: its packets may be as large as announced, and go to `take`. `share`: its user's main-thread
   * time. `messagesPerSecond`: null as any client.
   */
  admit(
    share: Share,
    { take, messagesPerSecond }: { readonly take: IntakeNeeds['take']; readonly messagesPerSecond: number | null },
  ): void {
    if (messagesPerSecond !== null) this.#messages = new Bucket(messagesPerSecond, performance.now())
    this.#maxBytes = this.#needs.limits.maxPacketBytes
    this.#share = share
    this.#take = take
  }

  /**
   * Charges the budgets for what a frame costs beyond one message: further messages, and main-thread time spent later.
   */
  charge({ messages, ms }: { readonly messages: number; readonly ms: number }): void {
    this.#messages.spend(messages)
    this.#share?.time.spend(ms)
  }

  /** Whether nothing was received for `maxMs` while the gate was reading. `now` in monotonic milliseconds. */
  isSilent(now: number, maxMs: number): boolean {
    return !this.#paused && now - this.#lastSeen >= maxMs
  }

  /**
   * Handles the input that may be handled, then resumes or pauses reading. Call it when a reason to wait may have
   * ended.
   */
  readonly pump = (): void => {
    if (this.#pumping || this.#closed) return
    this.#pumping = true
    while (!this.#closed) {
      this.#current ??= this.#torn.next()
      if (this.#current === null || this.#isBlocked() || this.#isOutOfTurn()) break
      this.#current = this.#handle(this.#current, performance.now())
    }
    this.#pumping = false
    if (!this.#closed) this.#needs.rests({ isEmpty: this.#current === null, hasEnded: this.#ended })
    this.#steer()
  }

  /**
   * Pumps at the end of this tick if anything waits. Nearly always nothing does: a publish has settled, and its
   * connection was read all along.
   */
  readonly pumpSoon = (): void => {
    if (this.#pumpsSoon || !(this.#paused || this.#ended)) return
    this.#pumpsSoon = true
    process.nextTick(() => {
      this.#pumpsSoon = false
      this.pump()
    })
  }

  /** Drops the input that has not been handled. */
  close(): void {
    this.#closed = true
    if (this.#budgetTimer) clearTimeout(this.#budgetTimer)
    this.#torn.clear()
    this.#current = null
  }

  #receive(chunk: Buffer): void {
    if (this.#closed) return
    const now = performance.now()
    this.#lastSeen = now
    const isAlone = !this.#pumping && this.#current === null && this.#torn.isEmpty
    if (isAlone && !this.#isBlocked() && !this.#isOutOfTurn()) {
      // Nearly every chunk. A new object in a field of one that has lived long costs V8 more than the frames in it.
      this.#pumping = true
      this.#current = this.#handle(chunk, now)
      this.#pumping = false
    } else this.#torn.add(chunk)
    this.pump()
  }

  /** Handles frames from the start of `bytes`, charges their time from `began`, and returns the rest, or null. */
  #handle(bytes: Buffer, began: number): Buffer | null {
    const used = this.#cut(bytes, began + USER_SLICE_MS)
    const ms = performance.now() - began
    this.#share?.time.spend(ms)
    this.#share?.slice.spend(ms)
    return this.#closed || used === bytes.length ? null : bytes.subarray(used)
  }

  #peerLeft(): void {
    if (this.#ended) return
    this.#ended = true
    this.pump()
  }

  #isBlocked(): boolean {
    return this.#needs.isHeld() || this.#isOverBudget()
  }

  #isOverBudget(): boolean {
    if (!this.#isSpent()) return false
    const now = performance.now()
    for (const budget of [this.#bytes, this.#messages, this.#first, this.#share?.time]) budget?.refill(now)
    const timeMs = Math.min(this.#share?.time.waitMs() ?? 0, this.#first.waitMs())
    const wait = Math.max(this.#bytes.waitMs(), this.#messages.waitMs(), timeMs)
    if (wait === 0) return false
    this.#budgetTimer ??= setTimeout(() => {
      this.#budgetTimer = null
      this.pump()
    }, wait)
    return true
  }

  /** Whether the user has used this turn of the event loop; then it goes on when it is this connection's turn. */
  #isOutOfTurn(): boolean {
    if (this.#isInLine) return true
    if (this.#hasTurn || this.#share?.slice.spent !== true) {
      this.#hasTurn = false
      return false
    }
    this.#isInLine = true
    this.#share.inTurn(() => {
      this.#isInLine = false
      this.#hasTurn = true
      this.pump()
      this.#hasTurn = false
    })
    return true
  }

  #isSpent(): boolean {
    return this.#bytes.spent || this.#messages.spent || (this.#first.spent && this.#share?.time.spent === true)
  }

  #steer(): void {
    if (this.#closed) return
    const pause = this.#current !== null || this.#isBlocked()
    if (pause === this.#paused) return
    this.#paused = pause
    if (pause) {
      this.#needs.stream.pause()
      return
    }
    // While reading was paused, the client could not be heard.
    this.#lastSeen = performance.now()
    this.#needs.stream.resume()
  }

  /**
   * Handles frames from the start of `bytes` until something stops it or it is `until`, and returns how many bytes it
   * has consumed.
   */
  #cut(bytes: Buffer, until: number): number {
    const { violation, isHeld } = this.#needs
    let at = 0
    let frames = 0
    while (at < bytes.length) {
      const remaining = remainingLength(bytes, at)
      if (remaining === MALFORMED) {
        violation(Reason.malformed)
        return at
      }
      if (remaining === INCOMPLETE) {
        this.#torn.keepHead(bytes.subarray(at))
        return bytes.length
      }
      const body = at + headerBytes(remaining)
      const end = body + remaining
      if (end - at > this.#maxBytes) {
        violation(Reason.packetTooLarge)
        return at
      }
      if (end > bytes.length) {
        this.#torn.keep(bytes.subarray(at), end - at)
        return bytes.length
      }
      this.#bytes.spend(end - at)
      this.#messages.spend(1)
      if (!this.#first.spent) this.#first.spend(end - at)
      if (!this.#take(bytes, { at, body, end })) return at
      at = end
      if (at === bytes.length) break
      if (this.#isSpent() || isHeld()) return at
      frames += 1
      if (frames % FRAMES_PER_LOOK === 0 && performance.now() >= until) return at
    }
    return at
  }
}
