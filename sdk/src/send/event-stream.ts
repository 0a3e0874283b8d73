import type { News } from '../wire/news.ts'
import type { Http } from './http.ts'
import { anyOf } from './rest.ts'

/** The service writes something each 15 s. */
const SILENT_MS = 40_000
/** No event is as long. */
const LONGEST = 1_000_000

type Readers = {
  readonly heard: (news: News) => void
  /** The stream is there, before its first event. */
  readonly opened: () => void
  readonly signal: AbortSignal
}

/**
 * Reads `GET /v1/sdk/events` until it ends. Resolves with whether events can come this way at all: an earlier service
 * has none, and some platforms read no stream.
 */
export async function readEvents(http: Http, { heard, opened, signal }: Readers): Promise<'ended' | 'unsupported'> {
  const quiet = new AbortController()
  const silent = () => setTimeout(() => quiet.abort(), SILENT_MS)
  let timer = silent()
  try {
    const response = await http.respond('GET', '/v1/sdk/events', {
      headers: { accept: 'text/event-stream' },
      signal: anyOf(signal, quiet.signal),
    })
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
    if (!response.ok || !isStream || response.body === null) {
      await response.body?.cancel()
      return response.ok || [404, 405, 501].includes(response.status) ? 'unsupported' : 'ended'
    }
    opened()
    const reader = response.body.getReader()
    const decoder = new TextDecoder()
    for (let held = ''; ; ) {
      const { done, value } = await reader.read()
      if (done || held.length > LONGEST) return 'ended'
      clearTimeout(timer)
      timer = silent()
      const blocks = (held + decoder.decode(value, { stream: true })).split(/\r?\n\r?\n/)
      held = blocks.pop()!
      for (const block of blocks) tell(block, heard)
    }
  } catch {
    return 'ended'
  } finally {
    clearTimeout(timer)
  }
}

/** One event: its `data:` lines are JSON, comments have none. */
export function tell(block: string, heard: (news: News) => void): void {
  const data = block
    .split(/\r?\n/)
    .flatMap((line) => (line.startsWith('data:') ? [line.slice(5)] : []))
    .join('\n')
  if (data === '') return
  try {
    heard(JSON.parse(data))
  } catch {
    // No event of the service.
  }
}
