import type { Facts } from './facts.ts'
import { nothingKnown } from './facts.ts'
import type { EndAsked, Press } from './press.ts'
import { type AlarmState, stateOf, type Trouble } from './state.ts'

/** The actions that an alarm offers on the device that shows it. */
export type AlarmKeeper = {
  /** Resolves when the end is kept. */
  readonly ends: (alarm: Alarm, how: 'cancel' | 'resolve') => Promise<void>
  readonly sendsPositions: (alarm: Alarm) => void
  readonly now: () => number
}

/**
 * An alarm, as a sequence of its states: `for await (const state of alarm) render(state)`. It begins with the present
 * one, leaves out those that were passed while nobody looked, and ends after `over`.
 */
export class Alarm implements AsyncIterable<AlarmState> {
  /** Of this press on this device. */
  readonly id: string
  /** Whether this device pressed. Another device of the same user only shows it, and sends no position by itself. */
  readonly own: boolean
  readonly press: Press
  readonly #keeper: AlarmKeeper
  readonly #listeners = new Set<() => void>()
  #facts: Facts = nothingKnown
  #end: EndAsked | null = null
  #kept: boolean
  #trouble: Trouble | null = null
  #state: AlarmState

  constructor(press: Press, keeper: AlarmKeeper, { own, kept }: { readonly own: boolean; readonly kept: boolean }) {
    this.id = press.id
    this.own = own
    this.press = press
    this.#keeper = keeper
    this.#kept = kept
    this.#state = this.#computed()
  }

  get state(): AlarmState {
    return this.#state
  }

  /** "I'm fine": nobody need come. Resolves when it is kept on this device; `state.over` says when it has worked. */
  cancel(): Promise<void> {
    return this.#keeper.ends(this, 'cancel')
  }

  /** The emergency is over. Like `cancel`. */
  resolve(): Promise<void> {
    return this.#keeper.ends(this, 'resolve')
  }

  /** Sends this device's position too, until the alarm is over. The device that pressed does so by itself. */
  sendPositions(): void {
    this.#keeper.sendsPositions(this)
  }

  /** Calls `listener` after each change of `state`. Returns what stops that. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<AlarmState, void, void> {
    let wake = () => {}
    const stop = this.subscribe(() => wake())
    try {
      for (let shown: AlarmState | null = null; shown?.step !== 'over'; ) {
        const changed = new Promise<void>((resolve) => {
          wake = resolve
        })
        if (this.#state === shown) await changed
        shown = this.#state
        yield shown
      }
    } finally {
      stop()
    }
  }

  /** @internal */
  get facts(): Facts {
    return this.#facts
  }

  /** @internal */
  get end(): EndAsked | null {
    return this.#end
  }

  /** @internal */
  get kept(): boolean {
    return this.#kept
  }

  /** @internal Shows a change, if it is one. */
  show(change: {
    readonly facts?: Facts
    readonly end?: EndAsked | null
    readonly kept?: boolean
    readonly trouble?: Trouble | null
  }): void {
    // The same facts stay the same object: between two attempts, they tell whether there is news.
    if (JSON.stringify(change.facts ?? this.#facts) !== JSON.stringify(this.#facts)) this.#facts = change.facts!
    this.#end = change.end ?? this.#end
    this.#kept = change.kept ?? this.#kept
    this.#trouble = change.trouble === undefined ? this.#trouble : change.trouble
    const state = this.#computed()
    if (JSON.stringify(state) === JSON.stringify(this.#state)) return
    this.#state = state
    for (const listener of this.#listeners) listener()
  }

  #computed(): AlarmState {
    const [end, kept, trouble] = [this.#end, this.#kept, this.#trouble]
    return stateOf(this.#facts, { press: this.press, end, kept, trouble, now: this.#keeper.now() })
  }
}
