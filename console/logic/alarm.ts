import type { Item } from '../api/types.ts'
import { isDrill, isOpen } from './order.ts'

/** The last known state of one open incident. */
type Heard = Pick<Item, 'version' | 'urgency' | 'presses' | 'round'> & {
  readonly isAgain: boolean
  /** When it last rang although somebody had it, and where the person was. */
  readonly rang: { readonly at: number; readonly position: Item['position'] } | null
  /** The press is counted, and rings from then on unless an operator has looked. Null: it rings at once. */
  readonly quietUntil: number | null
}

/**
 * Whether this screen has to ring. `waiting`: incidents that nobody has taken. `silencedUntil`: an operator silenced
 * this screen, which affects no other and acknowledges nothing.
 */
export type Alarm = {
  readonly heard: ReadonlyMap<string, Heard>
  readonly silencedUntil: number
}

export const quiet: Alarm = { heard: new Map(), silencedUntil: 0 }

export const SILENCE_MS = 5 * 60_000
/** A press like the one that rang, on an alarm that an operator has, rings again after this time. */
export const PRESS_PAUSE_MS = 5 * 60_000
/** A stationary tracker's positions differ by as much. */
const SAME_PLACE_M = 100
/** Two heartbeats: one may be late. */
export const LOST_AFTER_MS = 30_000

/** Nobody answered, nobody can, or the one who promised is overdue. */
const needsSomebody = (urgency: number): boolean => urgency <= 2
/** The urgency of an alarm that an operator has. */
const TAKEN = 4

/** It has been pressed again, or has lost its helper, and no operator, its own included, has looked since. */
const isAgain = ({ news }: Item): boolean => news?.what === 'pressed_again' || news?.what === 'helper_lost'

function isSamePlace(a: Item['position'], b: Item['position']): boolean {
  if (a === null || b === null) return a === b
  const north = (a.latitude - b.latitude) * 111_000
  const east = (a.longitude - b.longitude) * 111_000 * Math.cos((a.latitude * Math.PI) / 180)
  return a.source === b.source && Math.hypot(north, east) < SAME_PLACE_M
}

/**
 * How a press rings on an alarm that has an operator. A tracker that presses by itself must not ring each time that the
 * operator has just looked; a real press is still heard within the pause.
 */
function ringOf(before: Heard | undefined, item: Item, now: number): Pick<Heard, 'rang' | 'quietUntil'> {
  const rang = before?.rang ?? null
  if (needsSomebody(item.urgency) || !isAgain(item)) return { rang, quietUntil: null }
  const rings = { rang: { at: now, position: item.position }, quietUntil: null }
  const isRinging = before?.isAgain === true && !isQuiet(before, now)
  const isLikeIt =
    rang !== null &&
    item.urgency === TAKEN &&
    item.news?.what === 'pressed_again' &&
    Math.abs(now - rang.at) < PRESS_PAUSE_MS &&
    isSamePlace(rang.position, item.position)
  return isRinging || !isLikeIt ? rings : { rang, quietUntil: rang.at + PRESS_PAUSE_MS }
}

/** With more than the pause left it does not count: the browser's clock has been set back. */
const isQuiet = ({ quietUntil }: Pick<Heard, 'quietUntil'>, now: number): boolean =>
  quietUntil !== null && now < quietUntil && quietUntil - now <= PRESS_PAUSE_MS

/** Why an incident rings again through a silence. */
function isNews(before: Heard | undefined, item: Item, { quietUntil }: Pick<Heard, 'quietUntil'>): boolean {
  const { urgency, presses, round } = item
  if (!needsSomebody(urgency)) {
    return isAgain(item) && quietUntil === null && (before === undefined || presses > before.presses)
  }
  if (before === undefined) return true
  return presses > before.presses || round > before.round || !needsSomebody(before.urgency) || urgency < before.urgency
}

/** The alarm after news of incidents. News older than the known state changes nothing. */
export function hear(alarm: Alarm, now: number, ...items: readonly Item[]): Alarm {
  const heard = new Map(alarm.heard)
  let { silencedUntil } = alarm
  for (const item of items) {
    // An exercise never rings and ends no silence, whatever its source.
    if (isDrill(item)) continue
    const before = heard.get(item.incidentId)
    if (before !== undefined && before.version > item.version) continue
    const { version, urgency, presses, round } = item
    const ring = ringOf(before, item, now)
    if (isOpen(item)) heard.set(item.incidentId, { version, urgency, presses, round, isAgain: isAgain(item), ...ring })
    else heard.delete(item.incidentId)
    if (isOpen(item) && isNews(before, item, ring)) silencedUntil = 0
  }
  return { heard, silencedUntil }
}

/** The alarm after the board has been read again: incidents no longer on it are over. */
export function hearAll(alarm: Alarm, now: number, items: readonly Item[]): Alarm {
  const there = new Set(items.map(({ incidentId }) => incidentId))
  return hear({ ...alarm, heard: new Map([...alarm.heard].filter(([id]) => there.has(id))) }, now, ...items)
}

export const silence = (alarm: Alarm, now: number): Alarm => ({ ...alarm, silencedUntil: now + SILENCE_MS })

/** With more than five minutes left it does not count: the browser's clock has been set back. */
export const isSilenced = ({ silencedUntil }: Alarm, now: number): boolean =>
  now < silencedUntil && silencedUntil - now <= SILENCE_MS

export const waiting = ({ heard }: Alarm): number =>
  [...heard.values()].filter(({ urgency, isAgain }) => needsSomebody(urgency) || isAgain).length

const isLoud = ({ heard }: Alarm, now: number): boolean =>
  [...heard.values()].some((one) => needsSomebody(one.urgency) || (one.isAgain && !isQuiet(one, now)))

/** Whether the incident was pressed again, and is only counted for now. */
export function isCounted(before: Alarm, after: Alarm, incidentId: string): boolean {
  const [was, is] = [before.heard.get(incidentId), after.heard.get(incidentId)]
  return is !== undefined && is.quietUntil !== null && is.presses > (was?.presses ?? 0)
}

/** Of a hundred exercises that begin together, one is heard. */
export const CHIME_PAUSE_MS = 60_000

/**
 * Whether a single soft tone announces an exercise, or a press that is only counted: only if nothing rings and the
 * screen is not silenced, so that it neither replaces an alarm nor sounds like one. `lastAt`: the last one; null: none.
 */
export const chimes = (alarm: Alarm, now: number, lastHeardAt: number | null, lastAt: number | null): boolean =>
  ringing(alarm, now, lastHeardAt) === null &&
  !isSilenced(alarm, now) &&
  (lastAt === null || Math.abs(now - lastAt) >= CHIME_PAUSE_MS)

/** `lost`: no contact with the service, so an alarm would not be heard of either. */
export type Ringing = 'alarm' | 'lost' | null

export function ringing(alarm: Alarm, now: number, lastHeardAt: number | null): Ringing {
  const silenced = isSilenced(alarm, now)
  if (!silenced && isLoud(alarm, now)) return 'alarm'
  if (lastHeardAt === null || now - lastHeardAt <= LOST_AFTER_MS) return null
  // An operator who silenced an alarm does not know of a connection lost since.
  return silenced && alarm.silencedUntil - SILENCE_MS > lastHeardAt + LOST_AFTER_MS ? null : 'lost'
}
