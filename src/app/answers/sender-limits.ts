/** Numbers that are remembered; the one that was quiet longest is forgotten first. */
const MAX_SENDERS = 1000

export type Limit = { readonly times: number; readonly perMs: number }

/** How often each number may do what in a window of time. `limits`: at most `times` in `perMs`. */
export class SenderLimits<K extends string> {
  readonly #limits: Readonly<Record<K, Limit>>
  readonly #taken = new Map<string, readonly number[]>()

  constructor(limits: Readonly<Record<K, Limit>>) {
    this.#limits = limits
  }

  /** Takes one. False: there is none left now (epoch ms). */
  take(kind: K, sender: string, now: number): boolean {
    const key = keyOf(kind, sender)
    const recent = this.#recent(kind, sender, now)
    if (recent.length >= this.#limits[kind].times) return false
    this.#taken.delete(key)
    this.#taken.set(key, [...recent, now])
    const most = MAX_SENDERS * Object.keys(this.#limits).length
    if (this.#taken.size > most) this.#taken.delete(this.#taken.keys().next().value!)
    return true
  }

  isSpent(kind: K, sender: string, now: number): boolean {
    return this.#recent(kind, sender, now).length >= this.#limits[kind].times
  }

  /** A clock that was set back must not prolong a window. */
  #recent(kind: K, sender: string, now: number): readonly number[] {
    const { perMs } = this.#limits[kind]
    return (this.#taken.get(keyOf(kind, sender)) ?? []).filter((at) => Math.abs(now - at) < perMs)
  }
}

const keyOf = (kind: string, sender: string): string => `${kind} ${sender}`
