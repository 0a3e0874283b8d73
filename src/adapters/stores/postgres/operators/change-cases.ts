import { decideAddNote } from '../../../../core/operator/decide-operator.ts'
import type { CaseStore } from '../../../../ports/store.ts'
import { leaveNotice, type Transaction, writesOf } from '../engine/write.ts'
import { recordAudit } from './record-audit.ts'

/** The number of an incident, which cannot be deleted before the transaction ends. Its writers are not blocked. */
async function numberOf({ connection }: Transaction, incidentId: string): Promise<number | null> {
  const sql = 'SELECT number FROM incidents WHERE id = $1 FOR KEY SHARE'
  const [incident] = await connection.rows<{ number: number }>(sql, [incidentId])
  return incident?.number ?? null
}

/** Locks the notes of an incident, to count them. */
const LOCK_NOTES = 'SELECT pg_advisory_xact_lock(hashtextextended($1, 1))'
const COUNT = 'SELECT count(*) AS count FROM incident_notes WHERE incident_number = $1'
const IS_NOTE = 'SELECT 1 FROM incident_notes WHERE id = $1'
const ADD = 'INSERT INTO incident_notes (id, incident_number, at, author, text) VALUES ($1, $2, $3, $4, $5)'
const TICK = `INSERT INTO called_back (incident_number, contact_id, at, author) VALUES ($1, $2, $3, $4)
  ON CONFLICT DO NOTHING`

export const caseWrites = writesOf<CaseStore>()({
  addIncidentNote: {
    async run(transaction, incidentId, { id, at, by, text }, limit, audit) {
      const { connection } = transaction
      const number = await numberOf(transaction, incidentId)
      if (number !== null) await connection.rows(LOCK_NOTES, [incidentId])
      const [notes] = await connection.rows<{ count: number }>(COUNT, [number])
      const isKnown = (await connection.rows(IS_NOTE, [id])).length > 0
      const decided = decideAddNote({ notes: number === null ? null : notes!.count, isKnown }, limit)
      if ('refused' in decided) return decided
      if (!decided.isNew) return { added: true }
      await connection.run(ADD, [id, number, at, by, text])
      await recordAudit(transaction, audit)
      await leaveNotice(transaction, { kind: 'case', incidentId })
      return { added: true }
    },
  },

  tickCalledBack: {
    async run(transaction, incidentId, { contactId, at, by }, audit) {
      const number = await numberOf(transaction, incidentId)
      if (number === null) return { refused: 'incident_not_found' }
      const ticked = await transaction.connection.run(TICK, [number, contactId ?? '', at, by])
      if (ticked === 0) return { ticked: true }
      await recordAudit(transaction, audit)
      await leaveNotice(transaction, { kind: 'case', incidentId })
      return { ticked: true }
    },
  },
})
