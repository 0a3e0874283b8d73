import { computed, effect, signal } from '@preact/signals'
import { stream } from '../api/stream.ts'
import type { Item } from '../api/types.ts'
import { chimes, hear, hearAll, isCounted, isSilenced, quiet, ringing, silence, waiting } from '../logic/alarm.ts'
import { chime, loop, primeSound, soundBlocked } from '../sound.ts'
import { browserNow } from './clock.ts'

const alarm = signal(quiet)
/** Whether this screen sounds at all: an operator has clicked and heard it. */
export const armed = signal(false)

export const hearChange = (item: Item): void => {
  const before = alarm.value
  alarm.value = hear(before, Date.now(), item)
  if (isCounted(before, alarm.value, item.incidentId)) softTone()
}
export const hearBoard = (items: readonly Item[]): void => {
  alarm.value = hearAll(alarm.value, Date.now(), items)
}
export const silenceHere = (): void => {
  alarm.value = silence(alarm.value, browserNow.value)
}

export const unattended = computed(() => waiting(alarm.value))
export const rings = computed(() => ringing(alarm.value, browserNow.value, stream.value.lastHeardAt))
export const silencedUntil = computed(() =>
  isSilenced(alarm.value, browserNow.value) ? alarm.value.silencedUntil : null,
)

/** Whether it sounds when it has to. */
export const audible = computed(() => armed.value && !soundBlocked.value)

let chimedAt: number | null = null
function softTone(): void {
  const now = Date.now()
  if (!audible.value || !chimes(alarm.value, now, stream.value.lastHeardAt, chimedAt)) return
  chimedAt = now
  chime()
}
/** An exercise has begun. */
export const hearDrill = softTone

const KEY = 'tocsin.sound'

/** On a click, which browsers require before a page may sound; the sound it plays is the test. */
export async function arm(): Promise<void> {
  armed.value = true
  localStorage.setItem(KEY, 'on')
  await primeSound()
}
export const disarm = (): void => {
  armed.value = false
  localStorage.removeItem(KEY)
}
/** A screen reloaded in the night: it sounds if the browser allows it, and otherwise says that it cannot. */
export function armAgain(): void {
  if (armed.value || localStorage.getItem(KEY) === null) return
  armed.value = true
  void primeSound(false)
}

/** Sounds whenever it has to. Returns the function that ends that. */
export const keepSounding = (): (() => void) =>
  effect(() => {
    loop(audible.value ? rings.value : null)
  })
