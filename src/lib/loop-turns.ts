import { RoundRobin } from './round-robin.ts'

/**
 * The kind of a piece. `connection`: a new one, which may be an alarm's or anything else's. While an alarm waits, every
 * second slot is an alarm's.
 */
export type LoopKind = 'alarm' | 'connection' | 'other'

/** The owner of a piece. In each kind groups take turns, and in each group its members. */
export type LoopCaller = { readonly kind: LoopKind; readonly group: string; readonly member: string }

type Piece = () => void

/**
 * Main-thread time per turn of the event loop, in ms. The piece that exceeds it is the last one. Short, because Node
 * accepts about one connection per turn of the event loop.
 */
const SLICE_MS = 2
const MAX_PIECES = 64
/** Turns in a row that begin no handshake while connections are being accepted. */
const MAX_HELD_TURNS = 4

/**
 * Starts short pieces of work: about two milliseconds' worth per turn of the event loop, one piece of each caller
 * after another. So a caller with a thousand pieces delays another caller, and everything else on the thread, by a few
 * milliseconds. An alarm waits behind at most one piece of other work, however many callers there are. Nothing is
 * refused; the pieces of a member keep their order. Whatever bounds the callers bounds the memory: a connection has one
 * piece here at a time.
 */
export class LoopTurns {
  readonly #callers: Readonly<Record<LoopKind, Callers>> = {
    alarm: new Callers(),
    connection: new Callers(),
    other: new Callers(),
  }
  /** The kinds other than alarms, the next in turn first. */
  #others: readonly LoopKind[] = ['connection', 'other']
  #alarmWasLast = false
  /** Steps that this turn of the event loop will still take. */
  #steps = 0
  #sliceBegan: number | null = null
  /** Whether a connection has been accepted since the last slice, and how many slices have begun no handshake. */
  #hasAccepted = false
  #heldTurns = 0
  /** When this turn of the event loop was first asked for a piece at once. */
  #askedAt: number | null = null

  /** Calls `piece` when it is this caller's turn, never synchronously. It must not throw. */
  start(caller: LoopCaller, piece: Piece): void {
    this.#callers[caller.kind].add(caller, piece)
    if (this.#steps === 0) this.#plan()
  }

  /**
   * Calls `piece` at once if nothing waits and this turn of the event loop has time left, otherwise when it is this
   * caller's turn. So an idle service pays nothing for turns. Time spent in between counts as part of a piece, except
   * for waits that all pieces share.
   */
  run(caller: LoopCaller, piece: Piece): void {
    if (this.#steps > 0 || this.#waiting > 0 || !this.#hasTime()) this.start(caller, piece)
    else piece()
  }

  /** Resolves when it is this caller's turn. What follows without waiting for anything is the piece. */
  turn(caller: LoopCaller): Promise<void> {
    return new Promise((resolve) => this.start(caller, resolve))
  }

  /**
   * A connection has been accepted, so others may wait behind it, whose addresses nobody knows yet. Turns in which that
   * happens are kept short: they begin no handshake, a few in a row at most.
   */
  accepted(): void {
    this.#hasAccepted = true
  }

  get #waiting(): number {
    const { alarm, connection, other } = this.#callers
    return alarm.waiting + connection.waiting + other.waiting
  }

  #hasTime(): boolean {
    const now = performance.now()
    if (this.#askedAt === null) {
      this.#askedAt = now
      setImmediate(() => {
        this.#askedAt = null
      })
    }
    return now - this.#askedAt < SLICE_MS
  }

  /** Each step is an immediate of its own: work that follows a resolved promise then counts as part of its piece. */
  #plan(): void {
    this.#steps = Math.min(MAX_PIECES, this.#waiting)
    this.#sliceBegan = null
    for (let n = 0; n < this.#steps; n += 1) setImmediate(this.#step)
  }

  readonly #step = (): void => {
    const now = performance.now()
    if (this.#sliceBegan === null) {
      this.#sliceBegan = now
      this.#heldTurns = this.#hasAccepted && this.#heldTurns < MAX_HELD_TURNS ? this.#heldTurns + 1 : 0
      this.#hasAccepted = false
    }
    this.#steps -= 1
    const piece = now - this.#sliceBegan < SLICE_MS ? this.#next() : null
    if (this.#steps === 0 && this.#waiting > 0) this.#plan()
    piece?.()
  }

  #isHeld(kind: LoopKind): boolean {
    return kind === 'connection' && this.#heldTurns > 0
  }

  #next(): Piece | null {
    const alarms = this.#callers.alarm
    const other = this.#others.find((kind) => this.#callers[kind].waiting > 0 && !this.#isHeld(kind))
    // Not alarms only: a claim to be one costs nothing, and would keep everything else waiting for ever.
    this.#alarmWasLast = other === undefined || (alarms.waiting > 0 && !this.#alarmWasLast)
    if (other === undefined || this.#alarmWasLast) return alarms.next()
    this.#others = [...this.#others.filter((kind) => kind !== other), other]
    return this.#callers[other].next()
  }
}

/** Pieces of one kind: groups take turns, and in each group its members. */
class Callers {
  readonly #groups = new RoundRobin<Piece, RoundRobin<Piece>>(() => new RoundRobin(() => []))
  #waiting = 0

  get waiting(): number {
    return this.#waiting
  }

  add({ group, member }: LoopCaller, piece: Piece): void {
    this.#groups.of(group).of(member).push(piece)
    this.#waiting += 1
  }

  next(): Piece | null {
    const piece = this.#groups.shift()
    if (piece === undefined) return null
    this.#waiting -= 1
    return piece
  }
}
