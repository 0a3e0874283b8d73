/** One series: the count for one set of label values. */
export type Cell = { readonly labels: Readonly<Record<string, string>>; value: number }

/** A node in the tree of label values: its children by the next label's value, and the cell at the end. */
type LabelNode = { readonly next: Map<string, LabelNode>; cell: Cell | null }

/**
 * The maximum number of series of one counter. Further ones count as `other`: values from outside must not fill memory.
 */
const MAX_CELLS = 2_000
const BEYOND = 'other'

/**
 * The series of one counter. Finding the cell of a label set allocates no object and no string, because it happens for
 * every message. Unknown labels are ignored and missing ones are empty: counting must never break what is counted.
 */
export class CounterCells {
  readonly #names: readonly string[]
  readonly #root: LabelNode = { next: new Map(), cell: null }
  readonly #cells: Cell[] = []
  readonly #max: number

  constructor(names: readonly string[], max = MAX_CELLS) {
    this.#names = names
    this.#max = max
  }

  get all(): readonly Cell[] {
    return this.#cells
  }

  of(labels: Readonly<Record<string, string | undefined>>): Cell {
    let place: LabelNode | undefined = this.#root
    for (const name of this.#names) {
      place = place.next.get(labels[name] ?? '')
      if (place === undefined) return this.#add(labels)
    }
    return place.cell ?? this.#add(labels)
  }

  #add(labels: Readonly<Record<string, string | undefined>>): Cell {
    const isFull = this.#cells.length >= this.#max
    const own = Object.fromEntries(this.#names.map((name) => [name, isFull ? BEYOND : (labels[name] ?? '')]))
    let place = this.#root
    for (const value of Object.values(own)) {
      const next = place.next.get(value) ?? { next: new Map(), cell: null }
      place.next.set(value, next)
      place = next
    }
    if (place.cell !== null) return place.cell
    place.cell = { labels: own, value: 0 }
    this.#cells.push(place.cell)
    return place.cell
  }
}
