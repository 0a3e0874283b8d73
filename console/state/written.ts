import { signal } from '@preact/signals'
import { ApiError, isLost, send } from '../api/client.ts'
import { stream } from '../api/stream.ts'
import type { Case } from '../api/types.ts'
import { newKey } from '../logic/new-key.ts'
import { MAX_WRITTEN, type Refused, sentBody, type Written, withWritten } from '../logic/written.ts'
import { learn } from './board.ts'
import { now } from './clock.ts'

/** Notes and ticks that wait for a connection, the oldest first. In memory only. */
export const written = signal<readonly Written[]>([])

/** Notes refused after a wait, until they are back in their field. */
export const refused = signal<readonly Refused[]>([])

/** Takes the refused notes of one incident out of the list. */
export function takeRefused(incidentId: string): readonly Refused[] {
  const back = refused.peek().filter((one) => one.incidentId === incidentId)
  if (back.length > 0) refused.value = refused.peek().filter((one) => !back.includes(one))
  return back
}

/**
 * Sends a note or a tick, or keeps it until there is a connection. Resolves to the case, or null while it waits. Throws
 * if the service refuses it, or if too many wait already.
 */
export async function write(one: Omit<Written, 'at'>): Promise<Case | null> {
  // An answer may be lost on the way: sent again, it is one note.
  const kept = { ...one, at: now.peek(), ...(one.path === 'notes' && { body: { ...one.body, id: newKey() } }) }
  // In the order in which they were written.
  if (written.peek().length === 0) {
    try {
      return await send<Case>(`/incidents/${kept.incidentId}/${kept.path}`, kept.body)
    } catch (error) {
      if (!isLost(error)) throw error
    }
  }
  const line = withWritten(written.peek(), kept)
  if (line === null) throw new ApiError(0, {})
  written.value = line
  return null
}

const EVERY_MS = 3000
let isSending = false

async function sendAll(): Promise<void> {
  if (isSending) return
  isSending = true
  try {
    for (let [first] = written.peek(); first !== undefined; [first] = written.peek()) {
      const sent = first
      try {
        learn((await send<Case>(`/incidents/${sent.incidentId}/${sent.path}`, sentBody(sent))).incident)
      } catch (error) {
        if (isLost(error)) return
        // It would hold up all others. The operator is told of every refused note.
        refused.value = [...refused.peek(), { ...sent, error }].slice(-MAX_WRITTEN)
      }
      written.value = written.peek().filter((one) => one !== sent)
    }
  } finally {
    isSending = false
  }
}

/** Sends waiting notes once there is a connection. Returns a function that stops it. */
export function keepSending(): () => void {
  const timer = setInterval(() => {
    if (written.peek().length > 0 && stream.peek().live) void sendAll()
  }, EVERY_MS)
  return () => clearInterval(timer)
}
