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
export const browserClockWrong = computed(() => Math.abs(serverOffset.value ?? 0) > 60_000)
