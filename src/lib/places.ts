/** A connection's place. It starts as resting. */
export type Place = {
  /** The connection may now be ended to make room, after all that have rested longer. */
  rests(): void
  /** The connection must not be cut off now: a request is in progress, or a user has logged in. */
  works(): void
  /** The connection has closed. */
  leaves(): void
}

/** The connections of one address by kind, the one longest in its kind first. */
type Neighbours = { readonly address: string; readonly resting: Row; readonly working: Row }

/** Called by a place when its connection changes. */
type Registry = {
  readonly move: (connection: Connection, resting: boolean) => void
  readonly leave: (connection: Connection) => void
}

/** A place, as one object with the methods of its class: thousands of connections keep theirs for days. */
class Connection implements Place {
  readonly neighbours: Neighbours
  readonly end: () => void
  readonly #registry: Registry
  resting = true
  before: Connection | null = null
  behind: Connection | null = null

  constructor(neighbours: Neighbours, end: () => void, registry: Registry) {
    this.neighbours = neighbours
    this.end = end
    this.#registry = registry
  }

  rests(): void {
    this.#registry.move(this, true)
  }

  works(): void {
    this.#registry.move(this, false)
  }

  leaves(): void {
    this.#registry.leave(this)
  }
}

export type PlacesOptions = {
  /** Maximum number of connections overall. */
  readonly max: number
  /** Maximum number of connections per address. */
  readonly maxPerAddress: number
  /** Whether a working connection may be ended if none rests. For connections that work for hours. */
  readonly endsWorking?: boolean
}

/**
 * A bounded number of places for connections, shared fairly among addresses: an address with few always gets one. When
 * all are taken, the address with the most resting connections loses the one that has rested longest. If none rests and
 * `endsWorking` is set, the address with the most connections loses its oldest, provided it has more than the newcomer.
 * Every operation takes constant time.
 */
export class Places {
  readonly #options: PlacesOptions
  readonly #byAddress = new Map<string, Neighbours>()
  readonly #byResting = new Ranking<Neighbours>()
  readonly #bySize = new Ranking<Neighbours>()
  readonly #registry: Registry = {
    move: (connection, resting) => this.#move(connection, resting),
    leave: (connection) => this.#leave(connection),
  }
  #taken = 0

  constructor(options: PlacesOptions) {
    this.#options = options
  }

  /** Number of places taken. */
  get taken(): number {
    return this.#taken
  }

  /**
   * A place for a new connection, or null if there is none. `end` ends the connection immediately. `maxPerAddress`:
   * overrides the limit for this address.
   */
  take(address: string, end: () => void, maxPerAddress = this.#options.maxPerAddress): Place | null {
    const known = this.#byAddress.get(address)
    if (known !== undefined && sizeOf(known) >= maxPerAddress && !this.#endFirst(known.resting)) return null
    if (this.#taken >= this.#options.max && !this.#makeRoom(known)) return null

    const neighbours = known ?? { address, resting: new Row(), working: new Row() }
    this.#byAddress.set(address, neighbours)
    const connection = new Connection(neighbours, end, this.#registry)
    neighbours.resting.add(connection)
    this.#taken += 1
    this.#rank(neighbours)
    return connection
  }

  #leave(connection: Connection): void {
    const { neighbours } = connection
    const { address } = neighbours
    this.#forget(connection)
    if (sizeOf(neighbours) === 0 && this.#byAddress.get(address) === neighbours) this.#byAddress.delete(address)
  }

  #makeRoom(newcomer: Neighbours | undefined): boolean {
    const idle = this.#byResting.first()
    if (idle !== null) return this.#endFirst(idle.resting)
    const crowd = this.#bySize.first()
    if (this.#options.endsWorking !== true || crowd === null) return false
    return sizeOf(crowd) > (newcomer === undefined ? 1 : sizeOf(newcomer) + 1) && this.#endFirst(crowd.working)
  }

  #endFirst({ first }: Row): boolean {
    if (first === null) return false
    this.#forget(first)
    first.end()
    return true
  }

  #move(connection: Connection, resting: boolean): void {
    if (!kindOf(connection).delete(connection)) return
    connection.resting = resting
    kindOf(connection).add(connection)
    this.#rank(connection.neighbours)
  }

  #forget(connection: Connection): void {
    if (!kindOf(connection).delete(connection)) return
    this.#taken -= 1
    this.#rank(connection.neighbours)
  }

  #rank(neighbours: Neighbours): void {
    this.#byResting.put(neighbours, neighbours.resting.size)
    this.#bySize.put(neighbours, sizeOf(neighbours))
  }
}

const sizeOf = ({ resting, working }: Neighbours): number => resting.size + working.size
const kindOf = ({ resting, neighbours }: Connection): Row => (resting ? neighbours.resting : neighbours.working)

/**
 * Connections in order of arrival. A Set would do if it found its first element in constant time after many deletions.
 */
class Row {
  #first: Connection | null = null
  #last: Connection | null = null
  #size = 0

  get first(): Connection | null {
    return this.#first
  }

  get size(): number {
    return this.#size
  }

  add(connection: Connection): void {
    connection.before = this.#last
    connection.behind = null
    if (this.#last === null) this.#first = connection
    else this.#last.behind = connection
    this.#last = connection
    this.#size += 1
  }

  /** Whether the connection was in this row. Only call this on the row of its kind. */
  delete(connection: Connection): boolean {
    const { before, behind } = connection
    if (before === null && this.#first !== connection) return false
    if (before === null) this.#first = behind
    else before.behind = behind
    if (behind === null) this.#last = before
    else behind.before = before
    connection.before = null
    connection.behind = null
    this.#size -= 1
    return true
  }
}

/** Things ranked by a count that changes in small steps. A count of 0 removes the thing. */
class Ranking<T> {
  readonly #placeOf = new Map<T, { count: number; at: number }>()
  readonly #byCount: T[][] = []
  #highest = 0

  put(thing: T, count: number): void {
    const former = this.#placeOf.get(thing)
    if (former?.count === count || (former === undefined && count === 0)) return
    if (former !== undefined) this.#remove(former)
    if (count === 0) {
      this.#placeOf.delete(thing)
      return
    }
    this.#byCount[count] ??= []
    this.#placeOf.set(thing, { count, at: this.#byCount[count].push(thing) - 1 })
    this.#highest = Math.max(this.#highest, count)
  }

  /** One of the things with the highest count. */
  first(): T | null {
    while (this.#highest > 0 && !this.#byCount[this.#highest]?.length) this.#highest -= 1
    return this.#byCount[this.#highest]?.at(-1) ?? null
  }

  /** Fills the gap with the last thing of the same count. */
  #remove({ count, at }: { readonly count: number; readonly at: number }): void {
    const others = this.#byCount[count]!
    const last = others.pop()!
    if (at === others.length) return
    others[at] = last
    this.#placeOf.set(last, { count, at })
  }
}
