import { computed, effect, signal } from '@preact/signals'
import { call, poll, send } from '../api/client.ts'
import { stream } from '../api/stream.ts'
import type { HandedOver, Shift } from '../api/types.ts'
import { isLoud, type ShiftNews, shiftNews } from '../logic/shift.ts'
import { notice } from '../sound.ts'
import { audible, rings } from './alarm.ts'
import { open } from './board.ts'
import { now } from './clock.ts'
import { putAwayIn } from './put-away.ts'
import { me } from './session.ts'

/** Null until it has been read. */
export const shift = signal<Shift | null>(null)

/** Of this screen alone: an alarm that was taken over needs nobody's answer. */
const away = putAwayIn('tocsin.put-away', 500)

export const news = computed<readonly ShiftNews[]>(() => {
  const { value } = me
  if (value == null) return []
  return shiftNews({
    offers: shift.value?.handOvers ?? [],
    items: open.value,
    me: value.id,
    now: now.value,
    putAway: new Set(away.ids.value),
  })
})

const readShift = async (): Promise<void> => {
  shift.value = await poll<Shift>('/shift')
}

/** Performs it, and shows the state afterwards, even if it was refused. */
const act = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } finally {
    await readShift().catch(() => {})
  }
}

export const offerAll = (to: string): Promise<void> => act(() => send('/shift/hand-over', { to }))
export const acceptAll = (from: string): Promise<HandedOver> =>
  act(() => send<HandedOver>('/shift/hand-over/accept', { from }))
export const declineAll = (from: string): Promise<HandedOver> =>
  act(() => send<HandedOver>('/shift/hand-over/decline', { from }))
export const withdrawOffer = (): Promise<void> => act(() => call('DELETE', '/shift/hand-over'))
export const leaveNote = (text: string): Promise<void> => act(() => send('/shift/note', { text }))
export const confirmNote = (by: string, at: string): Promise<void> => act(() => send('/shift/note/confirm', { by, at }))

/** Puts news away once they have been read. */
export async function putAway({ key, kind }: ShiftNews): Promise<void> {
  away.add(key)
  if (kind === 'answered') await withdrawOffer().catch(() => {})
}

const EVERY_MS = 10_000
/** The sound repeats at this interval until somebody has seen the news. */
const AGAIN_MS = 30_000

/** Keeps the shift up to date, and announces urgent news by sound. Returns a function that stops it. */
export function keepShift(): () => void {
  const look = (): void => void (stream.peek().live && readShift().catch(() => {}))
  look()
  const timer = setInterval(look, EVERY_MS)
  const isLoudNow = computed(() => news.value.some(isLoud) || open.value.some(({ news }) => news?.what === 'message'))
  /** An alarm says more than a change of shift does. */
  const sound = (): void => {
    if (isLoudNow.peek() && audible.peek() && rings.peek() === null) notice()
  }
  const heard = effect(() => {
    if (isLoudNow.value) sound()
  })
  const again = setInterval(sound, AGAIN_MS)
  // The first events come after this has begun. Of each event, the stream says anew that it is live.
  const isLive = computed(() => stream.value.live)
  const begun = effect(() => {
    if (isLive.value) look()
  })
  return () => {
    clearInterval(timer)
    clearInterval(again)
    heard()
    begun()
  }
}
