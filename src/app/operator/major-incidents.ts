import { type HeadCount, headCount } from '../../core/incident/head-count.ts'
import type { HeadState, Major } from '../../core/incident/incident.ts'
import { isoAt, pressAt } from '../../core/ingest/event-time.ts'
import { type Action, mayDo } from '../../core/operator/role.ts'
import type { BoardRecord, BoardStore, CaseStore } from '../../ports/store.ts'
import { type BoardItem, boardItem, boardItems, type Reads } from './board-item.ts'
import type { Asker, IncidentAccess } from './incident-access.ts'
import type { NoteLook } from './looks.ts'
import { SIMULATION_ID } from './simulation.ts'

/** The most alarms of one major incident, and the most major incidents with an open alarm. */
export const MAX_MAJOR_ALARMS = 200
const MAX_OPEN_MAJORS = 20

/** An operator's note on an alarm. `id` null: in no major incident. `presses`: as the screen showed it. */
export type PartGiven = {
  readonly id: string | null
  readonly from?: string | null
  readonly assignedTo?: string | null
  readonly head?: HeadState | null
  readonly presses?: number
}

/** One that the caller sees nothing of does not exist for them. */
export type NoMajor = { readonly refused: 'major_not_found' }
const noMajor: NoMajor = { refused: 'major_not_found' }

export type MajorIncident = {
  readonly id: string
  readonly startedAt: string
  readonly count: HeadCount
  readonly items: readonly BoardItem[]
}

/** A person of a major incident, with how many notes operators have written on their alarm. */
export type MajorPerson = { readonly item: BoardItem; readonly notes: number }

export type MajorNeeds = {
  readonly store: Pick<BoardStore, 'majorParts' | 'openMajors' | 'majorRecords'> &
    Pick<CaseStore, 'incidentNotes'> &
    Reads
  readonly noteLook: NoteLook
}

type Kind = 'alarm' | 'simulation' | 'exercise'
const kindOf = (appId: string, isDrill: boolean): Kind =>
  isDrill ? 'exercise' : appId === SIMULATION_ID ? 'simulation' : 'alarm'

const lookOf = ({ actor, address }: Asker) => ({ actor, address, appId: null, userId: null, subject: null })

/** Alarms that operators have put together. Rejects only with a StoreError. rules.md#major. */
export function majorIncidents({ store, noteLook }: MajorNeeds, { find }: Pick<IncidentAccess, 'find'>) {
  const recordsFor = async ({ grant }: Pick<Asker, 'grant'>, id: string, action: Action) =>
    (await store.majorRecords(id, MAX_MAJOR_ALARMS)).filter(({ incident }) => mayDo(grant, action, incident.appId))

  return {
    /**
     * The major incident `id`, for an alarm that an operator puts into it, or why not. It is named after its first
     * alarm: with the alarm's own id, a new one begins.
     */
    async joins(
      asker: Pick<Asker, 'grant'>,
      { incident }: BoardRecord,
      id: string,
    ): Promise<Pick<Major, 'id' | 'startedAt'> | NoMajor | { readonly refused: 'major_mixed' | 'major_limit' }> {
      if (incident.major?.id === id) return { id, startedAt: incident.major.startedAt }
      const parts = await store.majorParts(id)
      if (parts.length === 0) {
        if (incident.id !== id) return noMajor
        if ((await store.openMajors()) >= MAX_OPEN_MAJORS) return { refused: 'major_limit' }
        const { overdue, occurredAt, openedAt } = incident
        return { id, startedAt: overdue === undefined ? pressAt(occurredAt.ms, openedAt).pressedAt : openedAt }
      }
      const seen = parts.find(({ appId }) => mayDo(asker.grant, 'incident.view', appId))
      const known = seen && (await find(asker, seen.incidentId, 'incident.view'))?.incident.major
      if (known?.id !== id) return noMajor
      const kind = kindOf(incident.appId, incident.drill !== undefined)
      if (parts.some(({ appId, isDrill }) => kindOf(appId, isDrill) !== kind)) return { refused: 'major_mixed' }
      const alarms = parts.reduce((sum, part) => sum + part.alarms, 0)
      return alarms >= MAX_MAJOR_ALARMS ? { refused: 'major_limit' } : { id, startedAt: known.startedAt }
    },

    /** Its alarms that the caller may see, open and ended: recorded as a view of the list. */
    async majorIncident(asker: Asker, id: string): Promise<MajorIncident | NoMajor> {
      const records = await recordsFor(asker, id, 'incident.view')
      const [first] = records
      if (first?.incident.major === undefined) return noMajor
      noteLook({ ...lookOf(asker), action: 'incident.view' })
      const items = await boardItems(store, records)
      return { id, startedAt: isoAt(first.incident.major.startedAt), count: headCount(items), items }
    },

    /** Its persons for a list that leaves the console, the longest open first. The log says of which one. */
    async majorPeople(asker: Asker, id: string): Promise<{ readonly people: readonly MajorPerson[] } | NoMajor> {
      const records = await recordsFor(asker, id, 'incident.export')
      if (records.length === 0) return noMajor
      noteLook({ ...lookOf(asker), action: 'incident.export', details: { major: id } })
      const people: MajorPerson[] = []
      // One after the other: alarms get their turn in between.
      for (const record of records) {
        const { length: notes } = await store.incidentNotes(record.incident.id)
        people.push({ item: boardItem(record), notes })
      }
      return { people }
    },
  }
}
