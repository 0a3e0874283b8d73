import { signal } from '@preact/signals'
import { LOST_AFTER_MS } from '../logic/alarm.ts'
import { eventReader, type StreamEvent } from '../logic/sse.ts'
import { authorization, noteServerTime, signedOut } from './client.ts'

/**
 * Whether news arrive. `lastHeardAt`: by the browser's clock, also of a heartbeat; before the first, since when the page
 * tries; null before that.
 */
export const stream = signal<{ readonly live: boolean; readonly lastHeardAt: number | null }>({
  live: false,
  lastHeardAt: null,
})

const PAUSES_MS = [500, 1000, 2000, 5000, 10_000]

/**
 * Follows the events for as long as `signal` allows, beginning again where they broke off. By `fetch`: an `EventSource`
 * sends no token, and says of an ended session only that something failed. `onOpen` is called with each connection.
 */
export async function follow(on: (event: StreamEvent) => void, onOpen: () => void, signal: AbortSignal): Promise<void> {
  let lastId: string | null = null
  if (stream.value.lastHeardAt === null) stream.value = { live: false, lastHeardAt: Date.now() }
  for (let failures = 0; !signal.aborted; failures++) {
    const cut = new AbortController()
    const stop = (): void => cut.abort()
    signal.addEventListener('abort', stop, { once: true })
    let timer = setTimeout(stop, LOST_AFTER_MS)
    const heard = (): void => {
      clearTimeout(timer)
      timer = setTimeout(stop, LOST_AFTER_MS)
      stream.value = { live: true, lastHeardAt: Date.now() }
    }
    try {
      const response = await fetch('/v1/operator/events', {
        headers: {
          accept: 'text/event-stream',
          ...authorization(),
          ...(lastId === null ? {} : { 'last-event-id': lastId }),
        },
        credentials: 'same-origin',
        signal: cut.signal,
      })
      noteServerTime(Date.parse(response.headers.get('date') ?? '') + 500)
      if (response.status === 401) signedOut.value = true
      if (!response.ok || response.body === null) throw new Error(`HTTP ${response.status}`)
      failures = 0
      heard()
      onOpen()
      const take = eventReader((event) => {
        lastId = event.id ?? lastId
        on(event)
      })
      const decoder = new TextDecoder()
      const reader = response.body.getReader()
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        heard()
        take(decoder.decode(part.value, { stream: true }))
      }
    } catch {
      // Whatever broke it off: it is tried again below.
    } finally {
      clearTimeout(timer)
      cut.abort()
      signal.removeEventListener('abort', stop)
    }
    if (stream.value.live) stream.value = { ...stream.value, live: false }
    if (signal.aborted) return
    await new Promise((resolve) => setTimeout(resolve, PAUSES_MS[Math.min(failures, PAUSES_MS.length - 1)]))
  }
}
