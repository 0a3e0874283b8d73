import { computed, signal } from '@preact/signals'
import { poll } from '../api/client.ts'
import { follow } from '../api/stream.ts'
import type { Item, Listed } from '../api/types.ts'
import { byUrgency, isDrill, isOpen, merged, moved } from '../logic/order.ts'
import { parsePlain } from '../logic/plain-text.ts'
import { hearBoard, hearChange, hearDrill } from './alarm.ts'

const items = signal<ReadonlyMap<string, Item>>(new Map())
/** Open incidents, the most urgent first. */
export const open = computed(() => [...items.value.values()].sort(byUrgency))
export const openCount = computed(() => items.value.size)
/** Kept apart, so that no count, map or alarm has to leave them out. */
const drills = signal<ReadonlyMap<string, Item>>(new Map())
/** Open exercises, the longest open first. */
export const openDrills = computed(() => [...drills.value.values()].sort((a, b) => (a.openedAt < b.openedAt ? -1 : 1)))
/** Whether anything on the board is not real. */
export const anyDrill = computed(() => drills.value.size > 0 || open.value.some(({ drill }) => drill))
/** The number of reads of the board: before the first, an empty board means nothing. */
export const boardReads = signal(0)
/** The newest change of any incident, for views that show one in full. */
export const changed = signal<Item | null>(null)
/** The newest change that is not one of an exercise. */
export const changedAlarm = signal<Item | null>(null)

/** A page of the API has at most 1,000; nobody could work with a board of more than ten pages. */
const MAX_PAGES = 10

/** Changes heard while the board is being read; null: it is not. */
let meanwhile: Item[] | null = null

async function readBoard(): Promise<void> {
  meanwhile = []
  const found: Item[] = []
  let cursor: string | null = null
  for (let page = 0; page < MAX_PAGES; page++) {
    const after: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const part: Listed<Item> = await poll(`/incidents?state=open&limit=1000${after}`)
    found.push(...part.items)
    cursor = part.nextCursor
    if (!part.hasMore || cursor === null) break
  }
  show()
  // Known items may be newer than the answer, and changes heard meanwhile are, ends included.
  const known = found.flatMap(({ incidentId }) => items.value.get(incidentId) ?? [])
  items.value = merged(merged(merged(new Map(), found), known), meanwhile)
  meanwhile = null
  hearBoard(open.value)
  boardReads.value++
  await readDrills()
}

/** More exercises at once than this are shown as they change. */
const MAX_DRILLS = 200
/** Ended, or heard of, while the exercises are being read. */
let drillsMeanwhile: Item[] | null = null

/** After the board: no alarm waits for them. */
async function readDrills(): Promise<void> {
  drillsMeanwhile = []
  const part: Listed<Item> = await poll(`/incidents?state=open&drills=true&limit=${MAX_DRILLS}`)
  const known = part.items.flatMap(({ incidentId }) => drills.value.get(incidentId) ?? [])
  drills.value = merged(merged(merged(new Map(), part.items), known), drillsMeanwhile)
  drillsMeanwhile = null
}

function learnDrill(item: Item): void {
  const isNew = boardReads.peek() > 0 && item.status === 'active' && !drills.value.has(item.incidentId)
  drillsMeanwhile?.push(item)
  drills.value = merged(drills.value, [item])
  changed.value = item
  if (isNew) hearDrill()
}

const BEAT_MS = 30_000
/** For fifty screens, some 170 records a second. */
const MOST_URGENT = 100

/** Telemetry causes no event: the positions of the most urgent are read now and then, while the page is visible. */
async function readPositions(): Promise<void> {
  if (document.visibilityState !== 'visible' || items.value.size === 0) return
  const part: Listed<Item> = await poll(`/incidents?state=open&limit=${MOST_URGENT}`)
  items.value = moved(items.value, part.items)
}

/** Learned since the board was last shown. */
let news: Item[] = []
let frame: number | null = null
let timer: ReturnType<typeof setTimeout> | undefined
/** A hidden page gets no frames, but its title shows the count. */
const HIDDEN_MS = 250

function show(): void {
  if (frame === null) return
  cancelAnimationFrame(frame)
  clearTimeout(timer)
  frame = null
  items.value = merged(items.value, news)
  news = []
}

/** The versions with which incidents have ended, the newest `MAX_ENDED`: an answer may be slower than the stream. */
const ended = new Map<string, number>()
const MAX_ENDED = 200

/** Whether it has ended since. */
function isOver(item: Item): boolean {
  const { incidentId, version } = item
  if (version < (ended.get(incidentId) ?? 0)) return true
  if (isOpen(item)) return false
  ended.set(incidentId, version)
  if (ended.size > MAX_ENDED) ended.delete(ended.keys().next().value!)
  return false
}

/**
 * Takes an item over, from the stream or as the answer to an action. It is heard at once, and shown with the next
 * frame: a hundred presses in a second are not a hundred boards.
 */
export function learn(item: Item): void {
  if (isOver(item)) return
  if (isDrill(item)) {
    learnDrill(item)
    return
  }
  news.push(item)
  meanwhile?.push(item)
  if (frame === null) {
    frame = requestAnimationFrame(show)
    timer = setTimeout(show, HIDDEN_MS)
  }
  changed.value = item
  changedAlarm.value = item
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
  // A failed read is retried at the next beat; a lost connection shows anyway.
  const beat = setInterval(() => void readPositions().catch(() => {}), BEAT_MS)
  signal.addEventListener('abort', () => clearInterval(beat))
  void follow(
    ({ event, data }) => {
      if (event === 'incident' || event === 'drill') learn(parsePlain(data))
      if (event === 'reload') void again()
    },
    () => void again(),
    signal,
  )
}
