import { decideAddNote } from '../../../../core/operator/decide-operator.ts'
import type { CaseStore } from '../../../../ports/store.ts'
import { type WriteContext, writesOf } from '../engine/write.ts'
import { auditing } from './record-audit.ts'

const caseRows = ({ db, leaveNotice }: WriteContext) => ({
  leaveNotice,
  record: auditing(db),
  number: db.prepare<[string], number>('SELECT number FROM incidents WHERE id = ?').pluck(),
  isNote: db.prepare<[string], number>('SELECT 1 FROM incident_notes WHERE id = ?').pluck(),
  notes: db.prepare<[number], number>('SELECT count(*) FROM incident_notes WHERE incident = ?').pluck(),
  addNote: db.prepare<[string, number, number, string, string]>(
    'INSERT INTO incident_notes (id, incident, at, author, text) VALUES (?, ?, ?, ?, ?)',
  ),
  tick: db.prepare<[number, string, number, string]>(
    'INSERT INTO called_back (incident, contact_id, at, author) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
  ),
})

export const caseWrites = writesOf<CaseStore>()(caseRows, {
  addIncidentNote: {
    run({ number, isNote, notes, addNote, record, leaveNotice }, incidentId, { id, at, by, text }, limit, audit) {
      const incident = number.get(incidentId)
      const isKnown = isNote.get(id) !== undefined
      const decided = decideAddNote({ notes: incident === undefined ? null : notes.get(incident)!, isKnown }, limit)
      if ('refused' in decided) return decided
      if (!decided.isNew) return { added: true }
      addNote.run(id, incident!, at, by, text)
      record(audit)
      leaveNotice({ kind: 'case', incidentId })
      return { added: true }
    },
  },

  tickCalledBack: {
    run({ number, tick, record, leaveNotice }, incidentId, { contactId, at, by }, audit) {
      const incident = number.get(incidentId)
      if (incident === undefined) return { refused: 'incident_not_found' }
      if (tick.run(incident, contactId ?? '', at, by).changes === 0) return { ticked: true }
      record(audit)
      leaveNotice({ kind: 'case', incidentId })
      return { ticked: true }
    },
  },
})
