import { computed, signal } from '@preact/signals'
import { serverOffset } from '../api/client.ts'

const tick = signal(Date.now())
setInterval(() => {
  tick.value = Date.now()
}, 1000)

/** The browser's own time, each second. */
export const browserNow = computed(() => tick.value)
/** The server's time, each second: ages are right whatever the browser's clock says. */
export const now = computed(() => tick.value + (serverOffset.value ?? 0))
/** A moment of the browser's clock (epoch ms) by the server's, ISO 8601. */
export const serverTime = (ms: number): string => new Date(ms + (serverOffset.peek() ?? 0)).toISOString()
export const browserClockWrong = computed(() => Math.abs(serverOffset.value ?? 0) > 60_000)
