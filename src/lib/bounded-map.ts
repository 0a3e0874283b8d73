/**
 * A map of at most `max` entries: a further one replaces the one that was set longest ago. Iterate over a copy to set
 * entries: each goes to the end, where the iteration would meet it again.
 */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #max: number

  constructor(max: number) {
    super()
    this.#max = max
  }

  override set(key: K, value: V): this {
    this.delete(key)
    super.set(key, value)
    // A Map keeps insertion order: the first entry was set longest ago.
    if (this.size > this.#max) this.delete(this.keys().next().value!)
    return this
  }
}
