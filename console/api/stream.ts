import { signal } from '@preact/signals'
import { LOST_AFTER_MS } from '../logic/alarm.ts'
import { failuresAfter, pauseMs } from '../logic/backoff.ts'
import { eventReader, type StreamEvent } from '../logic/sse.ts'
import { identity, noteServerTime, signedInAfter, signInTurn } from './client.ts'

/**
 * Whether news arrive. `lastHeardAt`: of the last event, a heartbeat or any other, by the browser's clock; before the
 * first event, the time of the first try; null before that.
 */
export const stream = signal<{ readonly live: boolean; readonly lastHeardAt: number | null }>({
  live: false,
  lastHeardAt: null,
})

/**
 * Follows the events for as long as `signal` allows, and resumes after a break. Uses `fetch`, because an `EventSource`
 * sends no token and reports an ended session only as a failure. `onOpen` is called with the first event of each
 * connection. Only events count: a 200 from anything else, such as a proxy or the page of a Wi-Fi, brings no alarms.
 */
export async function follow(on: (event: StreamEvent) => void, onOpen: () => void, signal: AbortSignal): Promise<void> {
  let lastId: string | null = null
  if (stream.value.lastHeardAt === null) stream.value = { live: false, lastHeardAt: Date.now() }
  let failures = 0
  /** While the session has ended. */
  let signedIn: Promise<unknown> | null = null
  while (!signal.aborted) {
    const cut = new AbortController()
    const stop = (): void => cut.abort()
    signal.addEventListener('abort', stop, { once: true })
    let timer = setTimeout(stop, LOST_AFTER_MS)
    let openedAt: number | null = null
    const turn = signInTurn()
    const heard = (): void => {
      clearTimeout(timer)
      timer = setTimeout(stop, LOST_AFTER_MS)
      if (openedAt === null) onOpen()
      openedAt ??= performance.now()
      stream.value = { live: true, lastHeardAt: Date.now() }
    }
    const sentMs = Date.now()
    try {
      const response = await fetch('/v1/operator/events', {
        headers: {
          accept: 'text/event-stream',
          ...identity(),
          ...(lastId === null ? {} : { 'last-event-id': lastId }),
        },
        credentials: 'same-origin',
        signal: cut.signal,
      })
      noteServerTime(response, sentMs)
      if (response.status === 401) {
        signedIn ??= signedInAfter(turn).then(() => {
          signedIn = null
          failures = 0
        })
      }
      if (!response.ok || response.body === null) throw new Error(`HTTP ${response.status}`)
      const take = eventReader((event) => {
        heard()
        lastId = event.id ?? lastId
        on(event)
      })
      const decoder = new TextDecoder()
      const reader = response.body.getReader()
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        take(decoder.decode(part.value, { stream: true }))
      }
    } catch {
      // Any failure leads to another try below.
    } finally {
      clearTimeout(timer)
      cut.abort()
      signal.removeEventListener('abort', stop)
    }
    if (stream.value.live) stream.value = { ...stream.value, live: false }
    if (signal.aborted) return
    failures = failuresAfter(failures, openedAt === null ? 0 : performance.now() - openedAt)
    const pause = new Promise((resolve) => setTimeout(resolve, pauseMs(failures, Math.random())))
    // After a sign-in the screen must not stay blind until the pause ends.
    await Promise.race([pause, ...(signedIn === null ? [] : [signedIn])])
  }
}
