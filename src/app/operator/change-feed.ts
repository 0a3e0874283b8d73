import { nextTurn } from '../../lib/waits.ts'
import type { Log } from '../../ports/log.ts'

/** An incident, or a drill, as of a change. `text`: the item of the board, as JSON. */
export type Change = {
  readonly id: string
  readonly event: 'incident' | 'drill'
  readonly applicationId: string
  readonly text: string
}

/** Receives changes and must not wait. A listener that throws is ended, and the others go on. */
export type ChangeListener = {
  changed(changes: readonly Change[]): void
  /** Changes may be missing: read the board again. `id`: where the changes continue. */
  reload(id: string): void
  /** Nothing more will come: the service stops, or this listener has thrown and may have missed something. */
  end(): void
}

/** A listener's starting point: the changes it missed, or `reload`. `id`: the last change sent to it. */
export type Following = {
  readonly missed: readonly Change[] | 'reload'
  readonly id: () => string
  readonly stop: () => void
}

/** A listener's progress. */
type Follower = { readonly listener: ChangeListener; era: string; last: number }

/** The most changes that a returning listener can have missed. One that missed more reads the board again. */
const KEPT = 128
/** Listeners notified per event-loop turn (0.03 ms each); fifty at once would delay an alarm. */
const TOLD_AT_ONCE = 8

type FeedNeeds = {
  /** A text without a dot that was never an era before. */
  readonly newEra: () => string
  readonly log: Pick<Log, 'error'>
  readonly kept?: number | undefined
}

const idOf = ({ era, last }: Pick<Follower, 'era' | 'last'>): string => `${era}.${last}`

/**
 * Numbered changes, of which the last ones are kept, and their listeners. Each listener gets each change once and in
 * order, a few listeners at a time with other work in between; one that lags behind gets several changes together. Each
 * era numbers anew: a listener that knows another era, or is behind the kept changes, reads the board again.
 */
export class ChangeFeed {
  readonly #needs: Pick<FeedNeeds, 'newEra' | 'log'>
  readonly #kept: number
  readonly #followers = new Set<Follower>()
  #era: string
  #last = 0
  /** Oldest first. */
  #changes: Change[] = []
  /** The changes after a number, cached because most listeners get the same. */
  #after = { number: 0, changes: [] as readonly Change[] }
  #isTelling = false

  constructor({ newEra, log, kept = KEPT }: FeedNeeds) {
    this.#needs = { newEra, log }
    this.#kept = kept
    this.#era = newEra()
  }

  /** The era to which the numbers belong. */
  get era(): string {
    return this.#era
  }

  get isFollowed(): boolean {
    return this.#followers.size > 0
  }

  append(changes: readonly Omit<Change, 'id'>[]): void {
    for (const change of changes) {
      this.#last += 1
      this.#changes.push({ id: idOf({ era: this.#era, last: this.#last }), ...change })
    }
    this.#changes = this.#changes.slice(-this.#kept)
    this.#after = { number: this.#last, changes: [] }
    void this.#tellAll()
  }

  /** Drops all changes, so that every listener reads the board again. */
  startAnew(): void {
    this.#era = this.#needs.newEra()
    this.#last = 0
    this.#changes = []
    this.#after = { number: 0, changes: [] }
    void this.#tellAll()
  }

  /** `known`: the id of the last change that the listener has; null if it is new. */
  follow(known: string | null, listener: ChangeListener): Following {
    const follower: Follower = { listener, era: this.#era, last: this.#last }
    this.#followers.add(follower)
    return {
      missed: this.#missed(known),
      id: () => idOf(follower),
      stop: () => void this.#followers.delete(follower),
    }
  }

  end(): void {
    for (const follower of this.#followers) this.#leave(follower)
  }

  #missed(known: string | null): readonly Change[] | 'reload' {
    if (known === null) return []
    const [era, number] = known.split('.')
    if (era !== this.#era || !/^\d{1,15}$/.test(number ?? '')) return 'reload'
    return this.#changesAfter(Number(number)) ?? 'reload'
  }

  /** The changes after a number. Null: they are not all kept, or the number is too high. */
  #changesAfter(number: number): readonly Change[] | null {
    const oldest = this.#last - this.#changes.length
    if (number < oldest || number > this.#last) return null
    if (this.#after.number !== number) this.#after = { number, changes: this.#changes.slice(number - oldest) }
    return this.#after.changes
  }

  #isBehind({ era, last }: Follower): boolean {
    return era !== this.#era || last !== this.#last
  }

  /** Notifies the listeners that are behind, one round at a time; changes that arrive meanwhile go into the next. */
  async #tellAll(): Promise<void> {
    if (this.#isTelling) return
    this.#isTelling = true
    let told = 0
    for (let behind = this.#behind(); behind.length > 0; behind = this.#behind()) {
      for (const follower of behind) {
        if (told > 0 && told % TOLD_AT_ONCE === 0) await nextTurn()
        told += 1
        if (this.#followers.has(follower)) this.#tellSafely(follower)
      }
    }
    this.#isTelling = false
  }

  #behind(): readonly Follower[] {
    return [...this.#followers].filter((follower) => this.#isBehind(follower))
  }

  /**
   * A listener that threw may lack a change. Its screen must not go on as if it had seen everything: it starts over.
   */
  #tellSafely(follower: Follower): void {
    try {
      this.#tell(follower)
    } catch (error) {
      this.#needs.log.error({ err: error }, 'a console could not be told of a change; it has to connect again', 'told')
      this.#leave(follower)
    }
  }

  #leave(follower: Follower): void {
    this.#followers.delete(follower)
    try {
      follower.listener.end()
    } catch (error) {
      this.#needs.log.error({ err: error }, 'the stream of a console could not be ended', 'ended')
    }
  }

  #tell(follower: Follower): void {
    const changes = follower.era === this.#era ? this.#changesAfter(follower.last) : null
    follower.era = this.#era
    follower.last = this.#last
    if (changes === null) follower.listener.reload(idOf(follower))
    else if (changes.length > 0) follower.listener.changed(changes)
  }
}
