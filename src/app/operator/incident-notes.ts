import { isOpen } from '../../core/incident/incident.ts'
import { secretHash } from '../../core/operator/secret.ts'
import { HOUR } from '../../lib/durations.ts'
import type { Ids } from '../../ports/ids.ts'
import type { BoardRecord, CaseStore } from '../../ports/store.ts'
import { type By, rowBy } from './by.ts'
import {
  type Asker,
  type Changed,
  type IncidentAccess,
  type Late,
  type NoContact,
  type NoIncident,
  noIncident,
} from './incident-access.ts'

const MAX_NOTES = 500
/** How long a text written offline keeps its own time. */
const KEPT_MS = 24 * HOUR

/**
 * The time of a note or tick (epoch ms): when it was written, even if the console was offline and sent it later. Never
 * later than now, nor more than a day earlier.
 */
const writtenAt = (given: number | undefined, now: number): number =>
  given === undefined ? now : Math.max(now - KEPT_MS, Math.min(given, now))

const ID_LENGTH = 32

/** The same for one note that is sent again, and for no other: keys are the senders' own. */
const idOf = (incidentId: string, { actor: { kind, id } }: By, key: string): string =>
  secretHash(JSON.stringify([incidentId, kind, id, key])).slice(0, ID_LENGTH)

/**
 * Operators' notes on an incident. `key`: the sender's own name for a note. `written`: the time of writing, if the
 * console was offline then (epoch ms).
 */
export function incidentNotes(
  {
    store,
    ids,
    noted,
  }: {
    readonly store: Pick<CaseStore, 'addIncidentNote' | 'tickCalledBack'>
    readonly ids: Pick<Ids, 'uuid'>
    /** Told of each note and tick; other processes learn of them by a notice. */
    readonly noted?: (incidentId: string) => void
  },
  { by, find, answered }: IncidentAccess,
) {
  const rowAbout = (
    who: By,
    { incident: { id, appId, userId } }: BoardRecord,
    action: 'incident.note' | 'incident.called_back',
    details = {},
  ) => rowBy(who, { action, appId, userId, subject: id, details })

  return {
    async addNote(
      asker: Asker,
      incidentId: string,
      text: string,
      { written, key }: { readonly written?: number | undefined; readonly key?: string | undefined } = {},
    ): Promise<Changed | Late | NoIncident> {
      const record = await find(asker, incidentId, 'incident.note')
      if (record === null) return noIncident
      const who = by(asker)
      const id = key === undefined ? ids.uuid() : idOf(incidentId, who, key)
      const note = { id, by: who.actor.name, at: writtenAt(written, who.now), text }
      const added = await store.addIncidentNote(incidentId, note, MAX_NOTES, rowAbout(who, record, 'incident.note'))
      if ('refused' in added && added.refused === 'incident_not_found') return noIncident
      noted?.(incidentId)
      return answered(incidentId, asker, 'refused' in added ? added.refused : null)
    },

    /**
     * Records that the person (`contactId` null) or a contact was called back after the end. The first record stays.
     */
    async tickCalledBack(
      asker: Asker,
      incidentId: string,
      contactId: string | null,
      written?: number,
    ): Promise<Changed | Late | NoIncident | NoContact> {
      const record = await find(asker, incidentId, 'incident.called_back')
      if (record === null) return noIncident
      const { contacts } = record.incident
      if (contactId !== null && contacts.every((contact) => contact.contactId !== contactId)) {
        return { refused: 'contact_not_found' }
      }
      if (isOpen(record.incident)) return answered(incidentId, asker, 'incident_open')
      const who = by(asker)
      const tick = { contactId, by: who.actor.name, at: writtenAt(written, who.now) }
      const details = contactId === null ? {} : { contactId }
      const row = rowAbout(who, record, 'incident.called_back', details)
      const ticked = await store.tickCalledBack(incidentId, tick, row)
      if ('refused' in ticked) return ticked
      noted?.(incidentId)
      return answered(incidentId, asker, null)
    },
  }
}
