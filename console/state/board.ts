import { computed, signal } from '@preact/signals'
import { poll } from '../api/client.ts'
import { follow } from '../api/stream.ts'
import type { Item, Listed } from '../api/types.ts'
import { byUrgency, isOpen, merged } from '../logic/order.ts'
import { parsePlain } from '../logic/plain-text.ts'
import { hearBoard, hearChange } from './alarm.ts'

const items = signal<ReadonlyMap<string, Item>>(new Map())
/** Open incidents, the most urgent first. */
export const open = computed(() => [...items.value.values()].sort(byUrgency))
/** How often the board has been read: once it has, an empty one means something. */
export const boardReads = signal(0)
/** The newest change of any incident, for views that show one in full. */
export const changed = signal<Item | null>(null)

/** A page of the API has at most 1,000; more than ten of them is no board that anybody could work with. */
const MAX_PAGES = 10

async function readBoard(): Promise<void> {
  const found: Item[] = []
  let cursor: string | null = null
  for (let page = 0; page < MAX_PAGES; page++) {
    const after: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const part: Listed<Item> = await poll(`/incidents?state=open&limit=1000${after}`)
    found.push(...part.items)
    cursor = part.nextCursor
    if (!part.hasMore || cursor === null) break
  }
  // What the stream brought meanwhile is newer.
  const known = items.value
  items.value = new Map(
    found
      .map((item) => {
        const there = known.get(item.incidentId)
        return there !== undefined && there.version > item.version ? there : item
      })
      .filter(isOpen)
      .map((item) => [item.incidentId, item]),
  )
  hearBoard(open.value)
  boardReads.value++
}

/** Takes an item over, from the stream or as the answer to an action. */
export function learn(item: Item): void {
  items.value = merged(items.value, item)
  changed.value = item
  hearChange(item)
}

const RETRY_MS = 3000

/** Keeps the board up to date until `signal` ends it. */
export function keepBoard(signal: AbortSignal): void {
  // First the stream, then the board: nothing falls in between.
  let reading = false
  const again = async (): Promise<void> => {
    if (reading || signal.aborted) return
    reading = true
    const failed = await readBoard().then(
      () => false,
      () => true,
    )
    reading = false
    if (failed && !signal.aborted) setTimeout(again, RETRY_MS)
  }
  void follow(
    ({ event, data }) => {
      if (event === 'incident') learn(parsePlain(data))
      if (event === 'reload') void again()
    },
    () => void again(),
    signal,
  )
}
