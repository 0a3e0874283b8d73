import {
  decideAnswerHandOver,
  type SessionSpan,
  type ShiftNote,
  type ShiftOffer,
} from '../../../../core/operator/shift.ts'
import type { OwnedIncident, ShiftStore } from '../../../../ports/store.ts'
import type { Reader } from '../engine/reader.ts'
import { writesOf } from '../engine/write.ts'
import { recordAudit } from './record-audit.ts'

const HAND_OVER = `SELECT from_id AS "fromId", to_id AS "toId", offered_at AS "offeredAt", answer,
    answered_at AS "answeredAt"
  FROM hand_overs`
const OFFER = `INSERT INTO hand_overs (from_id, to_id, offered_at) VALUES ($1, $2, $3)
  ON CONFLICT (from_id) DO UPDATE SET to_id = excluded.to_id, offered_at = excluded.offered_at, answer = NULL,
    answered_at = NULL`
const KEEP_NOTE = `INSERT INTO shift_notes (operator_id, at, text, applications) VALUES ($1, $2, $3, $4)
  ON CONFLICT (operator_id) DO UPDATE SET at = excluded.at, text = excluded.text, applications = excluded.applications`

export const shiftWrites = writesOf<ShiftStore>()({
  offerHandOver: {
    async run(transaction, { fromId, toId, offeredAt }, audit) {
      await transaction.connection.run(OFFER, [fromId, toId, offeredAt])
      await recordAudit(transaction, audit)
      return { offered: true }
    },
  },

  answerHandOver: {
    async run(transaction, given, audit) {
      const { connection } = transaction
      const [offer] = await connection.rows<ShiftOffer>(`${HAND_OVER} WHERE from_id = $1 FOR NO KEY UPDATE`, [
        given.fromId,
      ])
      const decided = decideAnswerHandOver(offer ?? null, given)
      if ('refused' in decided) return decided
      const sql = 'UPDATE hand_overs SET answer = $2, answered_at = $3 WHERE from_id = $1'
      await connection.run(sql, [given.fromId, decided.update.answer, decided.update.answeredAt])
      await recordAudit(transaction, audit)
      return { answered: true }
    },
  },

  removeHandOver: {
    async run(transaction, fromId, audit) {
      const removed = await transaction.connection.run('DELETE FROM hand_overs WHERE from_id = $1', [fromId])
      if (removed === 0) return { refused: 'offer_over' }
      await recordAudit(transaction, audit)
      return { removed: true }
    },
  },

  keepShiftNote: {
    async run(transaction, { operatorId, at, text, applications }, audit) {
      const scope = applications === null ? null : JSON.stringify(applications)
      await transaction.connection.run(KEEP_NOTE, [operatorId, at, text, scope])
      await recordAudit(transaction, audit)
      return { kept: true }
    },
  },

  removeShiftNote: {
    async run(transaction, { operatorId, at }, audit) {
      const sql = 'DELETE FROM shift_notes WHERE operator_id = $1 AND at = $2'
      if ((await transaction.connection.run(sql, [operatorId, at])) === 0) return { refused: 'shift_note_not_found' }
      if (audit !== null) await recordAudit(transaction, audit)
      return { removed: true }
    },
  },
})

type Reads = Pick<ShiftStore, 'sessionSpans' | 'handOvers' | 'shiftNotes' | 'ownerIds' | 'ownedIncidents'>

export const shiftReads = ({ rows }: Reader): Reads => ({
  sessionSpans: () =>
    rows<SessionSpan>(
      `SELECT operator_id AS "operatorId", created_at AS "createdAt", seen_at AS "seenAt", expires_at AS "expiresAt"
       FROM operator_sessions`,
    ),
  handOvers: () => rows<ShiftOffer>(`${HAND_OVER} ORDER BY from_id`),
  shiftNotes: () =>
    rows<ShiftNote>(
      'SELECT operator_id AS "operatorId", at, text, applications FROM shift_notes ORDER BY at, operator_id',
    ),
  async ownerIds() {
    const sql = 'SELECT DISTINCT owner_id AS "ownerId" FROM incidents WHERE open AND owner_id IS NOT NULL'
    return (await rows<{ ownerId: string }>(sql)).map(({ ownerId }) => ownerId)
  },
  ownedIncidents: (ownerId, max) =>
    rows<OwnedIncident>(
      `SELECT id AS "incidentId", app_id AS "appId", user_id AS "userId" FROM incidents
       WHERE open AND owner_id = $1 ORDER BY number LIMIT $2`,
      [ownerId, max],
    ),
})
