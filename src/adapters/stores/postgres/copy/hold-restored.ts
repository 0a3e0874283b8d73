import { decide } from '../../../../core/incident/decide.ts'
import { attemptNumberOf } from '../../../../core/incident/escalation.ts'
import { type Incident, isOpen } from '../../../../core/incident/incident.ts'
import { asCurrent } from '../../../../core/incident/incident-record.ts'
import { HEARD_OF_MS } from '../../shared/limits.ts'
import type { Connection } from '../engine/connection.ts'
import { refuseDeparted } from '../engine/departure.ts'
import { serverNow } from '../engine/server-clock.ts'
import { incidentRow } from '../incidents/incident-row.ts'
import { save } from '../incidents/save.ts'
import { onStopped } from './stopped.ts'

const AT_ONCE = 200
const PENDING = `SELECT number, record FROM incidents WHERE (open OR next_action_at IS NOT NULL
    OR closed_at > (SELECT max(closed_at) FROM incidents) - ${HEARD_OF_MS}) AND number > $1
  ORDER BY number LIMIT ${AT_ONCE}`

/**
 * Treats the database at `url` as one that was restored from an earlier moment, while no service runs on it: skips
 * attempts overdue by more than an hour, by the server's clock, and holds open incidents (keeping.md#restore). Resolves
 * with these.
 */
export const holdRestored = (url: string): Promise<readonly Incident[]> =>
  onStopped(url, async (connection) => {
    await refuseDeparted(connection)
    const now = await serverNow(connection)
    const held: Incident[] = []
    for (let last = 0; ; ) {
      const pending = await connection.rows<{ number: number; record: Incident }>(PENDING, [last])
      held.push(...(await restore(connection, pending, now)))
      if (pending.length < AT_ONCE) break
      last = pending.at(-1)?.number ?? last
    }
    // For services that have announced them long ago.
    await connection.run('DELETE FROM notices')
    // Sessions that have been ended, and links that have been used, since then.
    for (const table of ['operator_sessions', 'operator_invitations', 'setup_links', 'app_invitations'])
      await connection.run(`DELETE FROM ${table}`)
    return held
  })

/** Stores the incidents as a restore leaves them, and returns the open ones. */
async function restore(
  connection: Connection,
  pending: readonly { readonly number: number; readonly record: Incident }[],
  now: number,
): Promise<readonly Incident[]> {
  const changes = pending.flatMap(({ number, record }) => {
    const { incident, folded } = decide({ incident: asCurrent(record) }, { type: 'restore', now })
    return incident === null ? [] : [{ number, incident, folded }]
  })
  const nobody = { notices: { origin: '' }, done: { leavesNotice: false } }
  const rows = {
    changed: changes.map(incidentRow),
    opened: [],
    tokens: [],
    alerts: [],
    timeline: changes.flatMap(({ number, folded }) =>
      folded.map((attempt) => ({ incidentNumber: number, n: attemptNumberOf(attempt.id), attempt })),
    ),
    trail: [],
    relayedTrail: [],
    awaitedEnds: [],
    comeEnds: [],
    notices: [],
  }
  await save({ connection, ...nobody }, rows)
  return changes.map(({ incident }) => incident).filter(isOpen)
}
