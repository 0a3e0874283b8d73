// One file: everything here shares who may see an incident, and how its case is answered.

import type { Command } from '../../core/incident/command.ts'
import { isPressedSince } from '../../core/incident/decide.ts'
import { type EndOutcome, type EndRemark, type Incident, isOpen } from '../../core/incident/incident.ts'
import { isRemoved } from '../../core/incident/position-access.ts'
import { alarmNow, isMoreOfRun, RUN_LENGTH } from '../../core/incident/put-off.ts'
import { noResend, RESEND_MS } from '../../core/incident/resend.ts'
import type { KnownActor } from '../../core/operator/audit.ts'
import { type Action, type Grant, mayDo } from '../../core/operator/role.ts'
import { writtenAt } from '../../core/operator/written-at.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Ids } from '../../ports/ids.ts'
import type {
  ApplicationStore,
  BoardRecord,
  BoardStore,
  CaseStore,
  IncidentFilter,
  Page,
  PageQuery,
} from '../../ports/store.ts'
import type { IncidentDoor } from '../incident-door.ts'
import { type BoardItem, boardItem, boardItems, byUrgency } from './board-item.ts'
import { rowBy } from './by.ts'
import type { IncidentCase } from './incident-case.ts'
import type { lookNotes } from './looks.ts'
import { caseReader, type ReadForCase } from './read-case.ts'

/** Who asks, and from where. */
export type Asker = { readonly actor: KnownActor; readonly grant: Grant; readonly address: string | null }

/** The requested part of the list: `application` within what they may see. */
export type IncidentSearch = Omit<IncidentFilter, 'applications'> & { readonly application: string | null }

/** Incidents of a board that are read together. */
const MAX_BOARD = 1_000
const TABLE_PAGE = 100
const MAX_NOTES = 500

/** What a report is made of. `timeZone`: IANA. `language`: BCP 47. `now`: epoch ms. */
export type IncidentReport = {
  readonly case: IncidentCase
  readonly timeZone: string
  readonly language: string
  readonly now: number
}

type NoIncident = { readonly refused: 'incident_not_found' }
/** Someone else was first, or it is too late. `case`: the current state. */
type Late = {
  readonly refused:
    | 'taken_by_another'
    | 'not_taken'
    | 'pressed_again'
    | 'undo_too_late'
    | 'incident_closed'
    | 'incident_open'
    | 'incident_held'
    | 'not_put_off'
    | 'note_limit'
  readonly case: IncidentCase
}
type NoContact = { readonly refused: 'contact_not_found' }
type TooSoon = { readonly refused: 'resent_too_soon'; readonly retryAfterMs: number }
type Changed = { readonly case: IncidentCase }
type Judge = (after: Incident, isChanged: boolean) => Late['refused'] | null

type Parts = {
  readonly store: BoardStore & CaseStore & ReadForCase & Pick<ApplicationStore, 'application'>
  readonly door: Pick<IncidentDoor, 'change'>
  readonly clock: Pick<Clock, 'now'>
  readonly ids: Pick<Ids, 'uuid' | 'secret'>
  readonly noteLook: ReturnType<typeof lookNotes>
  /** Hears of each note and tick, which other processes hear of by a notice. */
  readonly noted?: (incidentId: string) => void
  /** Counts each end of an alarm by an operator, exercises apart. */
  readonly ended?: (outcome: EndOutcome | 'none') => void
  /** IANA; for applications without their own time zone. */
  readonly machineTimeZone: () => string
}

/**
 * What operators see of incidents and do with them. Everything asks `mayDo` first: for callers who may not see an
 * incident, it does not exist. Rejects only with a StoreError.
 */
export function operatorIncidents({ store, door, clock, ids, noteLook, noted, ended, machineTimeZone }: Parts) {
  const find = async ({ grant }: Asker, incidentId: string, action: Action): Promise<BoardRecord | null> => {
    const record = await store.boardRecord(incidentId)
    return record !== null && mayDo(grant, action, record.incident.appId) ? record : null
  }

  const caseOf = caseReader({ store, clock })

  const noteLookAt = ({ actor, address }: Asker, { incident }: BoardRecord, action: Action): void =>
    noteLook({ actor, address, action, appId: incident.appId, userId: incident.userId, subject: incident.id })

  const rowOf = ({ actor, address }: Asker, record: BoardRecord, action: Action, contactId: string | null = null) => {
    const { appId, userId, id } = record.incident
    const about = { appId, userId, subject: id, ...(contactId !== null && { details: { contactId } }) }
    return rowBy({ actor, address, now: clock.now() }, { action, ...about })
  }

  const answered = async (incidentId: string, asker: Asker, refused: Late['refused'] | null) => {
    const found = await caseOf(incidentId, asker)
    if (found === null) return { refused: 'incident_not_found' } as const
    // What changed nothing has left no row, and shows the position all the same.
    const { applicationId: appId, userId, incidentId: subject } = found.incident
    noteLook({ actor: asker.actor, address: asker.address, action: 'incident.view', appId, userId, subject })
    return refused === null ? { case: found } : { refused, case: found }
  }

  /** One command through the write door, with its audit row. `judge`: what is wrong with how things stand then. */
  const change = async (
    asker: Asker,
    incidentId: string,
    { action, command, judge }: { readonly action: Action; readonly command: Timeless; readonly judge: Judge },
  ): Promise<Changed | Late | NoIncident> => {
    const record = await find(asker, incidentId, action)
    if (record === null) return { refused: 'incident_not_found' }
    const now = clock.now()
    const row = rowOf(asker, record, action)
    const { incident, verdict } = await door.change({ incidentId }, { ...command, now } as Command, row)
    if (incident === null) return { refused: 'incident_not_found' }
    return answered(incidentId, asker, judge(incident, verdict !== 'unchanged'))
  }

  /**
   * The newest alert of an open incident with so many presses as the operator knows of. Null: there are more, and not
   * only of a run that no hand makes: that would keep operators from every alarm of it. rules.md#put-off.
   */
  const alertKnown = async (asker: Asker, incidentId: string, action: Action, presses: number | undefined) => {
    const known = presses === undefined ? null : await find(asker, incidentId, action)
    if (known === null || !isOpen(known.incident)) return {}
    const more = known.presses - presses!
    const isNews = more > 0 && !isMoreOfRun(await newestArrivals(incidentId, more + RUN_LENGTH), more)
    return isNews ? null : { knownAlertAt: known.incident.lastAlertAt }
  }

  const newestArrivals = async (incidentId: string, count: number): Promise<readonly number[]> =>
    (await store.pressTimes(incidentId, count)).map(({ receivedAt }) => receivedAt)

  return {
    /** Incidents that a board reads together at most. */
    maxBoard: MAX_BOARD,

    /**
     * The open ones with the most urgent first; others newest first. The same for all with this grant, so each look at
     * it is noted apart (`noteList`).
     */
    async list(
      { grant }: Pick<Asker, 'grant'>,
      { application, ...search }: IncidentSearch,
      page: PageQuery,
    ): Promise<Page<BoardItem>> {
      if (!mayDo(grant, 'incident.view', application)) return { items: [], after: null }
      const filter = { ...search, applications: application === null ? grant.applications : [application] }
      const { items: records, ...rest } = await store.board(filter, page)
      const items = await boardItems(store, records)
      return { items: search.state === 'open' ? items.toSorted(byUrgency) : items, ...rest }
    },

    noteList({ actor, grant, address }: Asker, { application }: Pick<IncidentSearch, 'application'>): void {
      if (!mayDo(grant, 'incident.view', application)) return
      noteLook({ actor, address, action: 'incident.view', appId: application, userId: null, subject: null })
    },

    /** All that match, newest first, for a table. Reads on as the table is taken. */
    async *table(asker: Asker, { application, ...search }: IncidentSearch): AsyncGenerator<readonly BoardItem[]> {
      const { actor, grant, address } = asker
      if (!mayDo(grant, 'incident.export', application)) return
      noteLook({ actor, address, action: 'incident.export', appId: application, userId: null, subject: null })
      const filter = { ...search, applications: application === null ? grant.applications : [application] }
      let after: string | null = null
      do {
        const page: Page<BoardRecord> = await store.board(filter, { after, limit: TABLE_PAGE })
        yield page.items.map((record) => boardItem(record))
        after = page.after
      } while (after !== null)
    },

    /** `action`: `incident.export` for what leaves the console. */
    async one(
      asker: Asker,
      incidentId: string,
      action: 'incident.view' | 'incident.export' = 'incident.view',
    ): Promise<Changed | NoIncident> {
      const record = await find(asker, incidentId, action)
      const found = record && (await caseOf(incidentId, asker))
      if (record === null || found === null) return { refused: 'incident_not_found' }
      noteLookAt(asker, record, action)
      return { case: found }
    },

    /**
     * One incident that a screen keeps at hand, which nobody has opened: noted as a look at the list that it shows.
     */
    async ahead(asker: Asker, incidentId: string): Promise<Changed | NoIncident> {
      const record = await find(asker, incidentId, 'incident.view')
      const found = record && (await caseOf(incidentId, asker))
      if (record === null || found === null) return { refused: 'incident_not_found' }
      this.noteList(asker, { application: null })
      return { case: found }
    },

    /** One incident to print, with what its application says about time and language. */
    async report(asker: Asker, incidentId: string): Promise<IncidentReport | NoIncident> {
      const found = await this.one(asker, incidentId, 'incident.export')
      if ('refused' in found) return found
      const application = await store.application(found.case.incident.applicationId)
      const timeZone = application?.timeZone ?? machineTimeZone()
      return { case: found.case, timeZone, language: application?.language ?? 'en', now: clock.now() }
    },

    /** Somebody has opened it on a screen: it is no longer marked new. Takes nothing, stops nothing. */
    seen(asker: Asker, incidentId: string) {
      const command = { type: 'see', name: asker.actor.name } as const
      return change(asker, incidentId, { action: 'incident.seen', command, judge: () => null })
    },

    /**
     * *We take it*: stops the cascade as a contact's answer does. `presses`: how many the operator knows of; with more,
     * nothing is taken, because they may mean more than the screen said.
     */
    async take(asker: Asker, incidentId: string, presses?: number): Promise<Changed | Late | NoIncident> {
      const { id: operatorId, name } = asker.actor
      const known = await alertKnown(asker, incidentId, 'incident.take', presses)
      if (known === null) return answered(incidentId, asker, 'pressed_again')
      const command = { type: 'acknowledge', contactId: null, name, operatorId, ...known } as const
      const judge: Judge = (after) => {
        if (!isOpen(after)) return 'incident_closed'
        if (after.takenBy?.operatorId === operatorId) return null
        return isPressedSince(after, known.knownAlertAt) ? 'pressed_again' : 'taken_by_another'
      }
      return change(asker, incidentId, { action: 'incident.take', command, judge })
    },

    /** Within a minute, by who took it: the cascade goes on. */
    untake(asker: Asker, incidentId: string) {
      const { id: operatorId } = asker.actor
      const command = { type: 'decline', contactId: null, operatorId } as const
      const judge: Judge = (after, isChanged) => {
        if (isChanged || (isOpen(after) && !after.takenBy)) return null
        if (!isOpen(after)) return 'incident_closed'
        return after.takenBy?.operatorId === operatorId ? 'undo_too_late' : 'taken_by_another'
      }
      return change(asker, incidentId, { action: 'incident.untake', command, judge })
    },

    /**
     * Takes it over from the operator who has it, whose console says so. `from`: who has it as the screen shows it;
     * null: nobody with an account. rules.md#shifts.
     */
    async takeOver(asker: Asker, incidentId: string, from: string | null): Promise<Changed | Late | NoIncident> {
      const { id: operatorId, name } = asker.actor
      const record = await find(asker, incidentId, 'incident.take_over')
      if (record === null) return { refused: 'incident_not_found' }
      const now = clock.now()
      const former = record.incident.takenBy?.name ?? null
      const row = { ...rowOf(asker, record, 'incident.take_over'), details: { from: former } }
      const command = { type: 'takeOver', now, operatorId, name, from } as const
      const { incident } = await door.change({ incidentId }, command, row)
      if (incident === null) return { refused: 'incident_not_found' }
      if (!isOpen(incident)) return answered(incidentId, asker, 'incident_closed')
      const { takenBy } = incident
      if (takenBy?.operatorId === operatorId) return answered(incidentId, asker, null)
      return answered(incidentId, asker, takenBy ? 'taken_by_another' : 'not_taken')
    },

    /** Ends it. `remark`: how it turned out. `presses` as with `take`: with more, nothing is ended. rules.md#ends. */
    async resolve(
      asker: Asker,
      incidentId: string,
      remark: EndRemark = {},
      presses?: number,
    ): Promise<Changed | Late | NoIncident> {
      const { name } = asker.actor
      const known = await alertKnown(asker, incidentId, 'incident.resolve', presses)
      if (known === null) return answered(incidentId, asker, 'pressed_again')
      const judge: Judge = (after, isChanged) => {
        if (isChanged && after.drill === undefined) ended?.(remark.outcome ?? 'none')
        if (isChanged) return null
        if (isOpen(after)) return 'pressed_again'
        return after.closing?.by === 'operator' && after.closing.name === name ? null : 'incident_closed'
      }
      const command = { type: 'resolve', by: 'operator', name, remark, ...known } as const
      return change(asker, incidentId, { action: 'incident.resolve', command, judge })
    },

    /** Goes on with an incident that came with a restored backup. */
    resume(asker: Asker, incidentId: string) {
      const judge: Judge = (after, isChanged) => (isChanged || isOpen(after) ? null : 'incident_closed')
      return change(asker, incidentId, { action: 'incident.resume', command: { type: 'resume' }, judge })
    },

    /** Alarms with what is put off, at once. Answers with the case of the new incident. rules.md#put-off. */
    async alarmNow(asker: Asker, incidentId: string): Promise<Changed | Late | NoIncident> {
      const record = await find(asker, incidentId, 'incident.alarm_now')
      if (record === null) return { refused: 'incident_not_found' }
      const opening = { now: clock.now(), incidentId: ids.uuid(), linkSecret: ids.secret() }
      const command = alarmNow(record.incident, opening)
      if (command === null) return answered(incidentId, asker, 'not_put_off')
      const row = rowOf(asker, record, 'incident.alarm_now')
      const { incidentId: opened } = await door.change({ openOf: record.incident.userId }, command, row)
      return answered(opened ?? incidentId, asker, null)
    },

    /** Has the alarm sent to one contact once more. rules.md#resend. */
    async resend(
      asker: Asker,
      incidentId: string,
      contactId: string,
    ): Promise<Changed | Late | NoIncident | NoContact | TooSoon> {
      const record = await find(asker, incidentId, 'incident.resend')
      if (record === null) return { refused: 'incident_not_found' }
      const now = clock.now()
      const known = record.incident.contacts.some((contact) => contact.contactId === contactId)
      // Only ids that are in the incident get into the audit log.
      if (!known) return { refused: 'contact_not_found' }
      const row = rowOf(asker, record, 'incident.resend', contactId)
      const { incident, verdict } = await door.change({ incidentId }, { type: 'resend', now, contactId }, row)
      if (incident === null) return { refused: 'incident_not_found' }
      const refused = verdict === 'unchanged' ? noResend(incident, contactId, now) : null
      if (refused === 'contact_not_found') return { refused }
      if (refused === 'too_soon') {
        const { resentAt = now } = incident.contacts.find((contact) => contact.contactId === contactId) ?? {}
        return { refused: 'resent_too_soon', retryAfterMs: resentAt + RESEND_MS - now }
      }
      return answered(incidentId, asker, refused)
    },

    /** Lets a contact who joined during the alarm see the position. rules.md#position-access. */
    async showPosition(
      asker: Asker,
      incidentId: string,
      contactId: string,
    ): Promise<Changed | Late | NoIncident | NoContact> {
      const record = await find(asker, incidentId, 'incident.show_position')
      if (record === null) return { refused: 'incident_not_found' }
      const isIn = ({ contacts }: Incident): boolean =>
        contacts.some((contact) => contact.contactId === contactId && !isRemoved(contact))
      if (!isIn(record.incident)) return { refused: 'contact_not_found' }
      const row = rowOf(asker, record, 'incident.show_position', contactId)
      const { name } = asker.actor
      const command = { type: 'showPosition', now: clock.now(), contactId, by: null, ...(name && { name }) } as const
      const { incident } = await door.change({ incidentId }, command, row)
      if (incident === null) return { refused: 'incident_not_found' }
      if (!isIn(incident)) return { refused: 'contact_not_found' }
      return answered(incidentId, asker, isOpen(incident) ? null : 'incident_closed')
    },

    /** `written`: when, where the console kept it without a connection (epoch ms). */
    async addNote(
      asker: Asker,
      incidentId: string,
      text: string,
      written?: number,
    ): Promise<Changed | Late | NoIncident> {
      const record = await find(asker, incidentId, 'incident.note')
      if (record === null) return { refused: 'incident_not_found' }
      const note = { id: ids.uuid(), by: asker.actor.name, at: writtenAt(written, clock.now()), text }
      const added = await store.addIncidentNote(incidentId, note, MAX_NOTES, rowOf(asker, record, 'incident.note'))
      if ('refused' in added && added.refused === 'incident_not_found') return { refused: 'incident_not_found' }
      noted?.(incidentId)
      return answered(incidentId, asker, 'refused' in added ? added.refused : null)
    },

    /** Notes a call back after the end: to the person (`contactId` null), or a contact. The first note stays. */
    async tickCalledBack(
      asker: Asker,
      incidentId: string,
      contactId: string | null,
      written?: number,
    ): Promise<Changed | Late | NoIncident | NoContact> {
      const record = await find(asker, incidentId, 'incident.called_back')
      if (record === null) return { refused: 'incident_not_found' }
      const { contacts } = record.incident
      if (contactId !== null && contacts.every((contact) => contact.contactId !== contactId)) {
        return { refused: 'contact_not_found' }
      }
      if (isOpen(record.incident)) return answered(incidentId, asker, 'incident_open')
      const tick = { contactId, by: asker.actor.name, at: writtenAt(written, clock.now()) }
      const ticked = await store.tickCalledBack(
        incidentId,
        tick,
        rowOf(asker, record, 'incident.called_back', contactId),
      )
      if ('refused' in ticked) return ticked
      noted?.(incidentId)
      return answered(incidentId, asker, null)
    },
  }
}

type Timeless = Command extends infer C ? (C extends Command ? Omit<C, 'now'> : never) : never
