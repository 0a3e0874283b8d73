import { type EndOutcome, type EndRemark, type Incident, isOpen } from '../../core/incident/incident.ts'
import { whyNotFromList } from '../../core/incident/major.ts'
import { isRemoved } from '../../core/incident/position-access.ts'
import { onlyContinuesRun, RUN_LENGTH } from '../../core/incident/put-off.ts'
import { noResend, RESEND_MS } from '../../core/incident/resend.ts'
import type { Action } from '../../core/operator/role.ts'
import type { Ids } from '../../ports/ids.ts'
import type { BoardRecord, BoardStore } from '../../ports/store.ts'
import type { IncidentDoor } from '../incident-door.ts'
import {
  type Asker,
  type Changed,
  type IncidentAccess,
  type Late,
  type NoContact,
  type NoIncident,
  noIncident,
} from './incident-access.ts'
import { incidentActs, type JudgedAct, perform } from './incident-acts.ts'
import { type MajorNeeds, majorIncidents, type NoMajor, type PartGiven } from './major-incidents.ts'

type TooSoon = { readonly refused: 'resent_too_soon'; readonly retryAfterMs: number }

/** The acts of `incident-acts.ts` for operators: permitted by their grants, and answered with the case. */
export function allowedActs(
  {
    store,
    door,
    ids,
    noteLook,
    ended,
  }: {
    readonly store: Pick<BoardStore, 'pressTimes'> & MajorNeeds['store']
    readonly door: Pick<IncidentDoor, 'change'>
    readonly ids: Pick<Ids, 'uuid' | 'secret'>
    readonly noteLook: MajorNeeds['noteLook']
    /** Counts each end of an alarm by an operator, except drills. */
    readonly ended?: (outcome: EndOutcome | 'none') => void
  },
  access: IncidentAccess,
) {
  const { by, find, answered } = access
  const { joins, ...majors } = majorIncidents({ store, noteLook }, access)
  /** Performs one act through the write door. `actOf`: called once the act is known to be allowed. */
  const act = async (
    asker: Asker,
    incidentId: string,
    action: Action,
    actOf: (by: ReturnType<IncidentAccess['by']>, before: Incident, record: BoardRecord) => JudgedAct,
  ): Promise<Changed | Late | NoIncident> => {
    const record = await find(asker, incidentId, action)
    if (record === null) return noIncident
    const who = by(asker)
    const wanted = actOf(who, record.incident, record)
    const { incident, verdict } = await perform(door, who, record.incident, wanted)
    if (incident === null) return noIncident
    return answered(incidentId, asker, wanted.whyNot(incident, verdict !== 'unchanged'))
  }

  /**
   * The newest alert of an open incident with as many presses as the operator knows of. Null: there are more. Further
   * presses of a run that no hand makes are ignored: they would keep operators from ever ending its alarm.
   * rules.md#put-off.
   */
  const alertKnown = async (asker: Asker, incidentId: string, action: Action, presses: number | undefined) => {
    const known = presses === undefined ? null : await find(asker, incidentId, action)
    if (known === null || !isOpen(known.incident)) return {}
    const more = known.presses - presses!
    const isNews = more > 0 && !onlyContinuesRun(await newestArrivals(incidentId, more + RUN_LENGTH), more)
    return isNews ? null : { knownAlertAt: known.incident.lastAlertAt }
  }

  const newestArrivals = async (incidentId: string, count: number): Promise<readonly number[]> =>
    (await store.pressTimes(incidentId, count)).map(({ receivedAt }) => receivedAt)

  return {
    ...majors,

    /** `presses`: as in `take`; if there are more, it stays new. */
    async seen(asker: Asker, incidentId: string, presses?: number): Promise<Changed | Late | NoIncident> {
      const known = await alertKnown(asker, incidentId, 'incident.seen', presses)
      if (known === null) return answered(incidentId, asker, 'pressed_again')
      return act(asker, incidentId, 'incident.seen', (who, _, { heardAt }) => incidentActs.see(who, heardAt, known))
    },

    /** `presses`: as in `take`; if there are more, the head count stays as it is. */
    async major(
      asker: Asker,
      incidentId: string,
      { id, presses, ...part }: PartGiven,
    ): Promise<Changed | Late | NoIncident | NoMajor> {
      const known = await alertKnown(asker, incidentId, 'incident.major', presses)
      if (known === null) return answered(incidentId, asker, 'pressed_again')
      const record = await find(asker, incidentId, 'incident.major')
      if (record === null) return noIncident
      const major = id === null ? null : await joins(asker, record, id)
      if (major !== null && 'refused' in major) {
        return major.refused === 'major_not_found' ? major : answered(incidentId, asker, major.refused)
      }
      return act(asker, incidentId, 'incident.major', (who) => incidentActs.mark(who, { major, ...part }, known))
    },

    /**
     * `presses`: how many the operator knows of. If there are more, nothing is taken, because they may mean more than
     * the screen showed.
     */
    async take(asker: Asker, incidentId: string, presses?: number): Promise<Changed | Late | NoIncident> {
      const known = await alertKnown(asker, incidentId, 'incident.take', presses)
      if (known === null) return answered(incidentId, asker, 'pressed_again')
      return act(asker, incidentId, 'incident.take', (who) => incidentActs.take(who, known))
    },

    untake: (asker: Asker, incidentId: string) => act(asker, incidentId, 'incident.untake', incidentActs.untake),

    /** `from`: as in the act. */
    takeOver: (asker: Asker, incidentId: string, from: string | null) =>
      act(asker, incidentId, 'incident.take_over', (who, before) => incidentActs.takeOver(who, before, from)),

    /**
     * `presses`: as in `take`; if there are more, nothing is ended. `majorId`: from the list of this major incident.
     */
    async resolve(
      asker: Asker,
      incidentId: string,
      remark: EndRemark = {},
      presses?: number,
      majorId?: string,
    ): Promise<Changed | Late | NoIncident> {
      const known = await alertKnown(asker, incidentId, 'incident.resolve', presses)
      if (known === null) return answered(incidentId, asker, 'pressed_again')
      const counted = majorId === undefined ? undefined : { majorId, operatorId: asker.actor.id }
      if (counted !== undefined) {
        const record = await find(asker, incidentId, 'incident.resolve')
        // Messages are not part of the incident.
        const why = record && isOpen(record.incident) ? whyNotFromList(record.incident, counted, record.heardAt) : null
        if (why !== null) return answered(incidentId, asker, why)
      }
      return act(asker, incidentId, 'incident.resolve', (who) => {
        const { whyNot, ...end } = incidentActs.resolve(who, remark, { ...known, ...(counted && { counted }) })
        return {
          ...end,
          whyNot(after, isChanged) {
            if (isChanged && after.drill === undefined) ended?.(remark.outcome ?? 'none')
            return whyNot(after, isChanged)
          },
        }
      })
    },

    resume: (asker: Asker, incidentId: string) => act(asker, incidentId, 'incident.resume', incidentActs.resume),

    /** Responds with the case of the new incident. */
    async alarmNow(asker: Asker, incidentId: string): Promise<Changed | Late | NoIncident> {
      const record = await find(asker, incidentId, 'incident.alarm_now')
      if (record === null) return noIncident
      const who = by(asker)
      const alarm = incidentActs.alarmNow(who, record.incident, ids)
      if (alarm === null) return answered(incidentId, asker, 'not_put_off')
      const { incidentId: opened } = await perform(door, who, record.incident, alarm)
      return answered(opened ?? incidentId, asker, null)
    },

    async resend(
      asker: Asker,
      incidentId: string,
      contactId: string,
    ): Promise<Changed | Late | NoIncident | NoContact | TooSoon> {
      const record = await find(asker, incidentId, 'incident.resend')
      if (record === null) return noIncident
      // Only ids in the incident get into the audit log.
      if (contactIn(record, contactId) === undefined) return { refused: 'contact_not_found' }
      const who = by(asker)
      const { incident, verdict } = await perform(door, who, record.incident, incidentActs.resend(who, contactId))
      if (incident === null) return noIncident
      const refused = verdict === 'unchanged' ? noResend(incident, contactId, who.now) : null
      if (refused === 'contact_not_found') return { refused }
      if (refused === 'too_soon') {
        const { resentAt = who.now } = contactIn({ incident }, contactId) ?? {}
        return { refused: 'resent_too_soon', retryAfterMs: resentAt + RESEND_MS - who.now }
      }
      return answered(incidentId, asker, refused)
    },

    async showPosition(
      asker: Asker,
      incidentId: string,
      contactId: string,
    ): Promise<Changed | Late | NoIncident | NoContact> {
      const record = await find(asker, incidentId, 'incident.show_position')
      if (record === null) return noIncident
      const isIn = (of: Pick<BoardRecord, 'incident'>): boolean => {
        const contact = contactIn(of, contactId)
        return contact !== undefined && !isRemoved(contact)
      }
      if (!isIn(record)) return { refused: 'contact_not_found' }
      const who = by(asker)
      const { incident } = await perform(door, who, record.incident, incidentActs.showPosition(who, contactId))
      if (incident === null) return noIncident
      if (!isIn({ incident })) return { refused: 'contact_not_found' }
      return answered(incidentId, asker, isOpen(incident) ? null : 'incident_closed')
    },
  }
}

const contactIn = ({ incident }: Pick<BoardRecord, 'incident'>, contactId: string) =>
  incident.contacts.find((contact) => contact.contactId === contactId)
