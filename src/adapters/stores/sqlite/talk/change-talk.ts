import { decideSay, MAX_TALK_LINES, SENDER_LIMIT, TALK_LIMIT } from '../../../../core/incident/decide-talk.ts'
import { type KnownContact, type TalkLine, talkEvent } from '../../../../core/incident/talk.ts'
import type { TalkKey, TalkStore } from '../../../../ports/store.ts'
import { TALK_LINES } from '../../shared/talk.ts'
import { insertSql, type Row, toRow } from '../engine/row.ts'
import { type WriteContext, writesOf } from '../engine/write.ts'
import { type IncidentRow, incidentOf } from '../incidents/incident-row.ts'
import { auditing } from '../operators/record-audit.ts'
import { talkLineOf } from './read-talk.ts'

function talkRows({ db, leaveNotice }: WriteContext) {
  const byId = db.prepare<[string], IncidentRow>('SELECT number, record FROM incidents WHERE id = ?')
  const ownById = db.prepare<[string, string], IncidentRow>(
    'SELECT number, record FROM incidents WHERE id = ? AND user_id = ?',
  )
  const openOf = db.prepare<[string], IncidentRow>(
    'SELECT number, record FROM incidents WHERE user_id = ? AND open = 1',
  )
  const newest = db.prepare<[number], Row>(`${TALK_LINES} WHERE incident_number = ? ORDER BY n DESC LIMIT 1`)
  const lineOf = toRow<TalkLine & { readonly incidentNumber: number }>('talk_lines')
  const insert = db.prepare<Row>(insertSql('talk_lines'))
  return {
    leaveNotice,
    record: auditing(db),
    incidentOf: (key: TalkKey): IncidentRow | undefined => {
      if (!('openOf' in key)) return byId.get(key.incidentId)
      return key.incidentId === null ? openOf.get(key.openOf) : ownById.get(key.incidentId, key.openOf)
    },
    contacts: db.prepare<[string], KnownContact>(
      'SELECT id, phone, verified_at AS "verifiedAt" FROM contacts WHERE user_id = ?',
    ),
    known: db.prepare<[number, string, string, string], Row>(
      `${TALK_LINES} WHERE incident_number = ? AND side = ? AND sender_id = ? AND key = ?`,
    ),
    ofSide: db
      .prepare<[number, string, number], number>(
        'SELECT at FROM talk_lines WHERE incident_number = ? AND side = ? ORDER BY n DESC LIMIT ?',
      )
      .pluck(),
    ofSender: db
      .prepare<[number, string, string, number], number>(
        'SELECT at FROM talk_lines WHERE incident_number = ? AND side = ? AND sender_id = ? ORDER BY n DESC LIMIT ?',
      )
      .pluck(),
    personToDesk: db
      .prepare<[number], number>(
        "SELECT to_desk FROM talk_lines WHERE incident_number = ? AND side = 'person' ORDER BY n DESC LIMIT 1",
      )
      .pluck(),
    isSpokenTo: db
      .prepare<[number, string], number>(
        "SELECT 1 FROM talk_lines WHERE incident_number = ? AND side = 'person' AND instr(readers, ?) > 0 LIMIT 1",
      )
      .pluck(),
    trim: db.prepare<[number, string, number]>(
      `DELETE FROM talk_lines WHERE rowid IN (
         SELECT rowid FROM talk_lines WHERE incident_number = ? AND side = ? ORDER BY n DESC LIMIT -1 OFFSET ?
       )`,
    ),
    add(incidentNumber: number, line: Omit<TalkLine, 'n'>): TalkLine {
      const last = newest.get(incidentNumber)
      const added = { ...line, n: last === undefined ? 1 : talkLineOf(last).n + 1 }
      insert.run(lineOf({ ...added, incidentNumber }))
      return added
    },
  }
}

/** The talk during an alarm. It never uses the disk space that is reserved for an SOS. */
export const talkWrites = writesOf<TalkStore>()(talkRows, {
  addTalkLine: {
    moment: (_key, { now }) => now,
    sender: (key, { from }) => `${'openOf' in key ? key.openOf : key.incidentId} ${from.senderId}`,
    run(rows, key, say, audit = null) {
      const row = rows.incidentOf(key)
      const incident = row === undefined ? null : incidentOf(row)
      const number = row?.number ?? 0
      const { side, senderId } = say.from
      const known = rows.known.get(number, side, senderId, say.key)
      const toDesk = rows.personToDesk.get(number)
      const decided = decideSay(
        {
          incident,
          contacts: incident === null ? [] : rows.contacts.all(incident.userId),
          known: known === undefined ? null : talkLineOf(known),
          sideTimes: rows.ofSide.all(number, side, TALK_LIMIT.times).reverse(),
          senderTimes: rows.ofSender.all(number, side, senderId, SENDER_LIMIT.times).reverse(),
          personToDesk: toDesk === undefined ? null : toDesk === 1,
          isSpokenTo: rows.isSpokenTo.get(number, senderId) !== undefined,
        },
        say,
      )
      if ('refused' in decided) return decided
      if ('known' in decided) return { line: decided.known, incident: incident!, isNew: false }
      const line = rows.add(number, decided.line)
      rows.trim.run(number, side, MAX_TALK_LINES)
      if (audit !== null) rows.record(audit)
      rows.leaveNotice({ kind: 'talk', said: talkEvent(incident!, line) })
      return { line, incident: incident!, isNew: true }
    },
  },
})
