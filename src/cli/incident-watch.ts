import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type { Incident } from '../core/incident/incident.ts'
import type { IncidentRecord, Store } from '../ports/store.ts'
import type { Answer } from './answer.ts'
import { entryText, type Person, personText, stateText, timelineOf } from './incident-words.ts'

/** The service announces changes only to its clients, so this process has to poll. */
const POLL_INTERVAL_MS = 500

type Watched = {
  readonly store: Pick<Store, 'incident' | 'incidents'>
  readonly personOf: (incident: Incident) => Promise<Person>
  readonly rowOf: (found: IncidentRecord) => unknown
  readonly readNow: () => Promise<number>
  readonly say: (answer: Answer) => void
}

/**
 * Follows one incident, or all that are open or will open, until a signal ends it: prints the state of each, then every
 * change. With `--json`, prints one `incident list` row per line whenever anything in it changes.
 */
export async function watchIncidents(incidentId: string | null, watched: Watched): Promise<void> {
  const ended = new AbortController()
  const signalled = Promise.race(
    ['SIGINT', 'SIGTERM'].map((name) => once(process, name, { signal: ended.signal })),
  ).catch(() => {})
  // The reader, such as `| head`, has seen enough.
  const gone = once(process.stdout, 'error', { signal: ended.signal }).catch(() => {})
  let isOver = false
  const over = Promise.race([signalled, gone]).then(() => {
    isOver = true
  })
  const follow = follower(watched)
  try {
    while (!isOver) {
      await follow(incidentId)
      await Promise.race([over, pause(POLL_INTERVAL_MS, undefined, { signal: ended.signal }).catch(() => {})])
    }
  } finally {
    ended.abort()
  }
}

/** Polls once and prints changes since the last time. */
function follower({ store, personOf, rowOf, readNow, say }: Watched): (incidentId: string | null) => Promise<void> {
  const known = new Map<string, { readonly row: string; readonly told: ReadonlySet<string> }>()

  async function look(incidentId: string | null): Promise<readonly IncidentRecord[]> {
    const ids = incidentId === null ? [...known.keys()] : [incidentId]
    const open = incidentId === null ? await store.incidents({ openOnly: true }) : []
    const others = ids.filter((id) => !open.some(({ incident }) => incident.id === id))
    const rest = await Promise.all(others.map((id) => store.incident(id)))
    return [...open, ...rest.filter((found) => found !== null)]
  }

  return async (incidentId) => {
    for (const found of await look(incidentId)) {
      const { incident } = found
      const json = rowOf(found)
      const row = JSON.stringify(json)
      const before = known.get(incident.id)
      // Of incidents that have ended, only the end is printed.
      if (incidentId === null && incident.state.closedAt !== null) known.delete(incident.id)
      else known.set(incident.id, { row, told: new Set(timelineOf(incident).map(entryText)) })
      if (before?.row === row) continue
      const person = personText(await personOf(incident))
      const entries = timelineOf(incident).map(entryText)
      const news = before === undefined ? entries : entries.filter((entry) => !before.told.has(entry))
      const heading = `${incident.id}  ${person}: ${stateText(incident, await readNow())}`
      const lines = before === undefined ? [heading, ...entries] : news.map((entry) => `${entry}  (${person})`)
      say({ json, text: lines.join('\n') })
    }
  }
}
