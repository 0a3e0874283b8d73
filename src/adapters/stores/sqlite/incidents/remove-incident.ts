import type { SqliteDatabase } from '../engine/database.ts'

type Row = { readonly number: number; readonly id: string }

/**
 * Removes an incident with its trail, timeline, alerts, tracking tokens, relay, notes, talk and outbox texts, at most
 * `max` rows per call because a trail may be long; the incident's own row goes last. Call it inside a transaction until
 * it returns `gone`.
 */
export function incidentRemoval(db: SqliteDatabase) {
  const trails = ['relayed_trail', 'trail'].map((table) =>
    db.prepare<[number, number]>(`DELETE FROM ${table} WHERE incident = ? ORDER BY ms, nanos LIMIT ?`),
  )
  const attempts = db.prepare<[number, number]>('DELETE FROM timeline WHERE incident = ? LIMIT ?')
  const alerts = db.prepare<[number, number]>('DELETE FROM alerts WHERE incident = ? LIMIT ?')
  const tokens = db.prepare<[number, number]>('DELETE FROM tracking_tokens WHERE incident = ? LIMIT ?')
  const relay = db.prepare<[number]>('DELETE FROM relays WHERE incident = ?')
  const notes = db.prepare<[number, number]>('DELETE FROM incident_notes WHERE incident = ? LIMIT ?')
  const talk = db.prepare<[number, number]>('DELETE FROM talk_lines WHERE incident_number = ? LIMIT ?')
  const calledBack = db.prepare<[number, number]>('DELETE FROM called_back WHERE incident = ? LIMIT ?')
  const texts = db.prepare<[string, number]>('DELETE FROM outbox WHERE incident_id = ? LIMIT ?')
  // Notices without an event do not name the user. No index: rows of this table live for about a minute.
  const notices = db.prepare<[string]>('DELETE FROM notices WHERE instr(notice, ?) > 0')
  const own = db.prepare<[number, number]>('DELETE FROM incidents WHERE number = ? LIMIT ?')

  return ({ number, id }: Row, max: number): { readonly deleted: number; readonly gone: boolean } => {
    let left = max
    for (const trail of trails) left -= trail.run(number, left).changes
    left -= attempts.run(number, left).changes
    left -= alerts.run(number, left).changes
    left -= tokens.run(number, left).changes
    left -= texts.run(id, left).changes
    left -= notes.run(number, left).changes
    left -= talk.run(number, left).changes
    left -= calledBack.run(number, left).changes
    const gone = left > 0
    if (gone) {
      relay.run(number)
      notices.run(id)
      left -= own.run(number, left).changes
    }
    return { deleted: max - left, gone }
  }
}
