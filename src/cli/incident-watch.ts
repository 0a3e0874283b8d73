import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type { Incident } from '../core/incident/incident.ts'
import type { IncidentRecord, Store } from '../ports/store.ts'
import type { Answer } from './answer.ts'
import { entryText, type Person, personText, stateText, timelineOf } from './incident-words.ts'

/** The service announces its own changes to clients, not to other processes: they are looked for. */
const LOOK_EVERY_MS = 500

type Watched = {
  readonly store: Pick<Store, 'incident' | 'incidents'>
  readonly personOf: (incident: Incident) => Promise<Person>
  readonly rowOf: (found: IncidentRecord) => unknown
  readonly say: (answer: Answer) => void
}

/**
 * Follows one incident, or all that are open and will open, until a signal ends it: says how each stands, then every
 * change as it happens. With `--json` one `incident list` row a line, whenever something in it changed.
 */
export async function watchIncidents(incidentId: string | null, watched: Watched): Promise<void> {
  const ended = new AbortController()
  const signalled = Promise.race(
    ['SIGINT', 'SIGTERM'].map((name) => once(process, name, { signal: ended.signal })),
  ).catch(() => {})
  // `| head` has seen enough.
  const gone = once(process.stdout, 'error', { signal: ended.signal }).catch(() => {})
  let isOver = false
  const over = Promise.race([signalled, gone]).then(() => {
    isOver = true
  })
  const follow = follower(watched)
  try {
    while (!isOver) {
      await follow(incidentId)
      await Promise.race([over, pause(LOOK_EVERY_MS, undefined, { signal: ended.signal }).catch(() => {})])
    }
  } finally {
    ended.abort()
  }
}

/** One look: says what is new since the one before. */
function follower({ store, personOf, rowOf, say }: Watched): (incidentId: string | null) => Promise<void> {
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
      // Of those that are over only the end is told.
      if (incidentId === null && incident.state.closedAt !== null) known.delete(incident.id)
      else known.set(incident.id, { row, told: new Set(timelineOf(incident).map(entryText)) })
      if (before?.row === row) continue
      const person = personText(await personOf(incident))
      const entries = timelineOf(incident).map(entryText)
      const news = before === undefined ? entries : entries.filter((entry) => !before.told.has(entry))
      const heading = `${incident.id}  ${person}: ${stateText(incident, Date.now())}`
      const lines = before === undefined ? [heading, ...entries] : news.map((entry) => `${entry}  (${person})`)
      say({ json, text: lines.join('\n') })
    }
  }
}
