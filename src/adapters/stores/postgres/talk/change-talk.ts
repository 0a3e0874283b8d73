import {
  decideSay,
  MAX_TALK_LINES,
  SENDER_LIMIT,
  TALK_LIMIT,
  type TalkSituation,
} from '../../../../core/incident/decide-talk.ts'
import type { Incident } from '../../../../core/incident/incident.ts'
import { asCurrent } from '../../../../core/incident/incident-record.ts'
import { talkEvent } from '../../../../core/incident/talk.ts'
import type { TalkKey, TalkStore } from '../../../../ports/store.ts'
import { TALK_LINES } from '../../shared/talk.ts'
import type { Connection } from '../engine/connection.ts'
import { insertSql } from '../engine/row.ts'
import { leaveNotice, writesOf } from '../engine/write.ts'
import { recordAudit } from '../operators/record-audit.ts'

type Row = { readonly number: number; readonly record: Incident }

/** It cannot be deleted before the transaction ends, and its writers, an alarm among them, are not blocked. */
const INCIDENT = 'SELECT number, record FROM incidents WHERE'
const LOCK = 'SELECT pg_advisory_xact_lock(hashtextextended($1, 2))'
/**
 * The facts for the decision besides the incident: of $1 the lines, of $2 the contacts; $3, $4, $5 are the sender's.
 */
const FACTS = {
  name: 'talk-facts',
  text: `SELECT
      (SELECT coalesce(json_agg(json_build_object('id', id, 'phone', phone, 'verifiedAt', verified_at)), '[]')
        FROM contacts WHERE user_id = $2) AS contacts,
      (SELECT row_to_json(known) FROM (
        ${TALK_LINES} WHERE incident_number = $1 AND side = $3 AND sender_id = $4 AND key = $5
      ) AS known) AS known,
      ${times('side = $3', TALK_LIMIT.times)} AS "sideTimes",
      ${times('side = $3 AND sender_id = $4', SENDER_LIMIT.times)} AS "senderTimes",
      (SELECT to_desk FROM talk_lines WHERE incident_number = $1 AND side = 'person' ORDER BY n DESC LIMIT 1)
        AS "personToDesk",
      EXISTS (SELECT 1 FROM talk_lines WHERE incident_number = $1 AND side = 'person'
        AND strpos(readers::text, $4) > 0) AS "isSpokenTo",
      (SELECT coalesce(max(n), 0) FROM talk_lines WHERE incident_number = $1) AS last,
      (SELECT count(*) FROM talk_lines WHERE incident_number = $1 AND side = $3) AS kept`,
}
type Facts = Omit<TalkSituation, 'incident'> & { readonly last: number; readonly kept: number }

function times(condition: string, max: number): string {
  return `(SELECT coalesce(json_agg(at ORDER BY n), '[]') FROM (
      SELECT at, n FROM talk_lines WHERE incident_number = $1 AND ${condition} ORDER BY n DESC LIMIT ${max}
    ) AS newest)`
}

const TRIM = `DELETE FROM talk_lines WHERE incident_number = $1 AND n IN (
    SELECT n FROM talk_lines WHERE incident_number = $1 AND side = $2 ORDER BY n DESC OFFSET $3
  )`

async function incidentOf(connection: Connection, key: TalkKey): Promise<Row | null> {
  const [row] = await ('openOf' in key
    ? key.incidentId === null
      ? connection.rows<Row>(`${INCIDENT} user_id = $1 AND open FOR KEY SHARE`, [key.openOf])
      : connection.rows<Row>(`${INCIDENT} id = $1 AND user_id = $2 FOR KEY SHARE`, [key.incidentId, key.openOf])
    : connection.rows<Row>(`${INCIDENT} id = $1 FOR KEY SHARE`, [key.incidentId]))
  return row === undefined ? null : { ...row, record: asCurrent(row.record) }
}

/** The talk during an alarm. */
export const talkWrites = writesOf<TalkStore>()({
  addTalkLine: {
    moment: (_key, { now }) => now,
    sender: (key, { from }) => `${'openOf' in key ? key.openOf : key.incidentId} ${from.senderId}`,
    async run(transaction, key, say, audit = null) {
      const { connection } = transaction
      const found = await incidentOf(connection, key)
      if (found === null) return { refused: 'incident_not_found' }
      const { number, record: incident } = found
      const { side, senderId } = say.from
      await connection.rows(LOCK, [incident.id])
      const asked = [number, incident.userId, side, senderId, say.key]
      const [facts] = await connection.rows<Facts>(FACTS, asked)
      const { last, kept, ...known } = facts!
      const decided = decideSay({ incident, ...known }, say)
      if ('refused' in decided) return decided
      if ('known' in decided) return { line: decided.known, incident, isNew: false }
      const line = { ...decided.line, n: last + 1 }
      await connection.run(insertSql('talk_lines'), [JSON.stringify([{ ...line, incidentNumber: number }])])
      if (kept >= MAX_TALK_LINES) await connection.run(TRIM, [number, side, MAX_TALK_LINES])
      if (audit !== null) await recordAudit(transaction, audit)
      await leaveNotice(transaction, { kind: 'talk', said: talkEvent(incident, line) })
      return { line, incident, isNew: true }
    },
  },
})
