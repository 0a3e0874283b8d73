/** Numbers that are remembered; the one that was quiet longest is forgotten first. */
const MAX_SENDERS = 1000

/** How often each number may do what in a window of time. `limits`: at most so many per window. */
export class SenderLimits<K extends string> {
  readonly #limits: Readonly<Record<K, number>>
  readonly #windowMs: number
  readonly #taken = new Map<string, readonly number[]>()

  constructor(limits: Readonly<Record<K, number>>, windowMs: number) {
    this.#limits = limits
    this.#windowMs = windowMs
  }

  /** Takes one. False: there is none left now (epoch ms). */
  take(kind: K, sender: string, now: number): boolean {
    const key = `${kind} ${sender}`
    const recent = this.#recent(key, now)
    if (recent.length >= this.#limits[kind]) return false
    this.#taken.delete(key)
    this.#taken.set(key, [...recent, now])
    const most = MAX_SENDERS * Object.keys(this.#limits).length
    if (this.#taken.size > most) this.#taken.delete(this.#taken.keys().next().value!)
    return true
  }

  isSpent(kind: K, sender: string, now: number): boolean {
    return this.#recent(`${kind} ${sender}`, now).length >= this.#limits[kind]
  }

  /** A clock that was set back must not prolong a window. */
  #recent(key: string, now: number): readonly number[] {
    return (this.#taken.get(key) ?? []).filter((at) => Math.abs(now - at) < this.#windowMs)
  }
}
