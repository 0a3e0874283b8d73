import type { Incident } from '../core/incident/incident.ts'
import { entry } from '../core/operator/audit.ts'
import type { Basis } from './storage.ts'

/** Of all notes of an incident; operators have room beyond that. */
const MAX_NOTES = 50
const MAX_NOTE_LENGTH = 500

/** Keeps what a text said as a note on an incident. Resolves to false if there is no room, or nothing was said. */
export const smsNotes =
  ({ store, clock, ids }: Pick<Basis, 'store' | 'clock' | 'ids'>, noted: (incidentId: string) => void) =>
  async ({ id, appId, userId }: Incident, by: string, text: string): Promise<boolean> => {
    const at = clock.now()
    const harmless = text
      .toWellFormed()
      .replaceAll(/\p{Cc}+/gu, ' ')
      .trim()
      .slice(0, MAX_NOTE_LENGTH)
      .toWellFormed()
    if (harmless === '') return false
    const note = { id: ids.uuid(), by, at, text: harmless }
    const actor = { kind: 'command', id: null, name: 'SMS' } as const
    const row = entry({ at, actor, action: 'incident.note', appId, userId, subject: id })
    const added = await store.addIncidentNote(id, note, MAX_NOTES, row)
    if ('refused' in added) return false
    noted(id)
    return true
  }
