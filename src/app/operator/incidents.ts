import { mayDo } from '../../core/operator/role.ts'
import type { ApplicationStore, BoardRecord, BoardStore, IncidentFilter, Page, PageQuery } from '../../ports/store.ts'
import { allowedActs } from './allowed-acts.ts'
import { type BoardItem, boardItem, boardItems, byUrgency } from './board-item.ts'
import { type Asker, type Changed, incidentAccess, type NoIncident, noIncident } from './incident-access.ts'
import { incidentCard } from './incident-card.ts'
import type { IncidentCase } from './incident-case.ts'
import { incidentNotes } from './incident-notes.ts'
import { incidentTalk } from './incident-talk.ts'

/** The requested part of the list; `application` narrows what the caller may see. */
export type IncidentSearch = Omit<IncidentFilter, 'applications'> & { readonly application: string | null }

/** The most incidents that a board reads together. */
const MAX_BOARD = 1_000
const TABLE_PAGE = 100

/** The content of a report. `timeZone`: IANA. `language`: BCP 47. `now`: epoch ms. */
export type IncidentReport = {
  readonly case: IncidentCase
  readonly timeZone: string
  readonly language: string
  readonly now: number
}

type IncidentNeeds = Parameters<typeof incidentAccess>[0] &
  Parameters<typeof allowedActs>[0] &
  Parameters<typeof incidentNotes>[0] &
  Parameters<typeof incidentCard>[0] &
  Parameters<typeof incidentTalk>[0] & {
    readonly store: BoardStore & Pick<ApplicationStore, 'application'>
    /** IANA; for applications without their own time zone. */
    readonly machineTimeZone: () => string
  }

/**
 * Operators' access to incidents. Everything asks `mayDo` first: an incident that a caller may not see does not exist
 * for them. Rejects only with a StoreError.
 */
export function operatorIncidents(needs: IncidentNeeds) {
  const access = incidentAccess(needs)
  return {
    ...shownIncidents(needs, access),
    ...allowedActs(needs, access),
    ...incidentNotes(needs, access),
    ...incidentCard(needs, access),
    ...incidentTalk(needs, access),
  }
}

function shownIncidents(
  { store, clock, noteLook, machineTimeZone }: IncidentNeeds,
  { find, caseOf, noteLookAt }: ReturnType<typeof incidentAccess>,
) {
  const within = ({ grant }: Pick<Asker, 'grant'>, { application, ...search }: IncidentSearch): IncidentFilter => ({
    ...search,
    applications: application === null ? grant.applications : [application],
  })

  const noteList = ({ actor, grant, address }: Asker, { application }: Pick<IncidentSearch, 'application'>): void => {
    if (!mayDo(grant, 'incident.view', application)) return
    noteLook({ actor, address, action: 'incident.view', appId: application, userId: null, subject: null })
  }

  /** `action`: `incident.export` if the data leaves the console. */
  const one = async (
    asker: Asker,
    incidentId: string,
    action: 'incident.view' | 'incident.export' = 'incident.view',
  ): Promise<Changed | NoIncident> => {
    const record = await find(asker, incidentId, action)
    const found = record && (await caseOf(incidentId, asker))
    if (record === null || found === null) return noIncident
    noteLookAt(asker, record.incident, action)
    return { case: found }
  }

  return {
    /** The most incidents that a board reads together. */
    maxBoard: MAX_BOARD,

    /**
     * The open ones with the most urgent first; others newest first. The list is the same for everyone with this grant,
     * so each view of it is recorded separately (`noteList`).
     */
    async list(asker: Pick<Asker, 'grant'>, search: IncidentSearch, page: PageQuery): Promise<Page<BoardItem>> {
      if (!mayDo(asker.grant, 'incident.view', search.application)) return { items: [], after: null }
      const { items: records, ...rest } = await store.board(within(asker, search), page)
      const items = await boardItems(store, records)
      return { items: search.state === 'open' ? items.toSorted(byUrgency) : items, ...rest }
    },

    noteList,

    /** All matching incidents, newest first, for a table. Reads more as the table is consumed. */
    async *table(asker: Asker, search: IncidentSearch): AsyncGenerator<readonly BoardItem[]> {
      const { actor, grant, address } = asker
      const { application: appId } = search
      if (!mayDo(grant, 'incident.export', appId)) return
      noteLook({ actor, address, action: 'incident.export', appId, userId: null, subject: null })
      let after: string | null = null
      do {
        const page: Page<BoardRecord> = await store.board(within(asker, search), { after, limit: TABLE_PAGE })
        yield page.items.map((record) => boardItem(record))
        after = page.after
      } while (after !== null)
    },

    one,

    /** An incident that a screen prefetches without anybody opening it: recorded as a view of the list. */
    async ahead(asker: Asker, incidentId: string): Promise<Changed | NoIncident> {
      const record = await find(asker, incidentId, 'incident.view')
      const found = record && (await caseOf(incidentId, asker))
      if (record === null || found === null) return noIncident
      noteList(asker, { application: null })
      return { case: found }
    },

    /** An incident to print, in its application's time zone and language. */
    async report(asker: Asker, incidentId: string): Promise<IncidentReport | NoIncident> {
      const found = await one(asker, incidentId, 'incident.export')
      if ('refused' in found) return found
      const application = await store.application(found.case.incident.applicationId)
      const timeZone = application?.timeZone ?? machineTimeZone()
      return { case: found.case, timeZone, language: application?.language ?? 'en', now: clock.now() }
    },
  }
}
