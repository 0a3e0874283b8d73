import { nextTurn } from '../../lib/waits.ts'
import type { Log } from '../../ports/log.ts'

/** An incident, or a drill, as it was at a change. `text`: the item of the board, in JSON. */
export type Change = {
  readonly id: string
  readonly event: 'incident' | 'drill'
  readonly applicationId: string
  readonly text: string
}

/** Never waits. One that throws is ended, and the others go on. */
export type ChangeListener = {
  changed(changes: readonly Change[]): void
  /** Something may be missing: read the board again. `id`: where the changes go on. */
  reload(id: string): void
  /** Nothing more comes: the service stops, or this listener has thrown and may have missed something. */
  end(): void
}

/** A listener's starting point: the changes it missed, or `reload`. `id`: the last change sent to it. */
export type Following = {
  readonly missed: readonly Change[] | 'reload'
  readonly id: () => string
  readonly stop: () => void
}

/** How far a listener has been told. */
type Follower = { readonly listener: ChangeListener; era: string; last: number }

/** Changes that a listener who comes back can have missed. One that missed more reads the board again. */
const KEPT = 128
/** Listeners notified per event-loop turn (0.03 ms each); fifty at once would delay an alarm. */
const TOLD_AT_ONCE = 8

type FeedNeeds = {
  /** A text that was never an era before, without a dot. */
  readonly newEra: () => string
  readonly log: Pick<Log, 'error'>
  readonly kept?: number | undefined
}

const idOf = ({ era, last }: Pick<Follower, 'era' | 'last'>): string => `${era}.${last}`

/**
 * Numbered changes, of which the last ones are kept, and their listeners. Each listener is told each change once and in
 * order, a few listeners at a time with other work in between; one that lags behind gets several changes together. The
 * numbers begin anew with each era: a listener that knows another era, or more than is kept back, reads the board
 * again.
 */
export class ChangeFeed {
  readonly #needs: Pick<FeedNeeds, 'newEra' | 'log'>
  readonly #kept: number
  readonly #followers = new Set<Follower>()
  #era: string
  #last = 0
  /** Oldest first. */
  #changes: Change[] = []
  /** The changes after a number: most listeners are told the same. */
  #after = { number: 0, changes: [] as readonly Change[] }
  #isTelling = false

  constructor({ newEra, log, kept = KEPT }: FeedNeeds) {
    this.#needs = { newEra, log }
    this.#kept = kept
    this.#era = newEra()
  }

  /** Since when the numbers count. */
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

  /** Forgets all changes. Every listener reads the board again. */
  startAnew(): void {
    this.#era = this.#needs.newEra()
    this.#last = 0
    this.#changes = []
    this.#after = { number: 0, changes: [] }
    void this.#tellAll()
  }

  /** `known`: the id of the last change that the listener has; null if it has just begun. */
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

  /** Null: not all of them are kept, or there are not that many. */
  #changesAfter(number: number): readonly Change[] | null {
    const oldest = this.#last - this.#changes.length
    if (number < oldest || number > this.#last) return null
    if (this.#after.number !== number) this.#after = { number, changes: this.#changes.slice(number - oldest) }
    return this.#after.changes
  }

  #isBehind({ era, last }: Follower): boolean {
    return era !== this.#era || last !== this.#last
  }

  /** One round at a time; what comes meanwhile is told in the next. */
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

  /** One that threw may lack a change, and its screen must not go on as if it had seen everything: it starts over. */
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
