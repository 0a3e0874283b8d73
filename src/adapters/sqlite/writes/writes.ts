import type { Database } from 'better-sqlite3'
import type { Command } from '../../../core/command.ts'
import type { Settings } from '../../../core/settings.ts'
import type { Committed, IncidentKey, Notice } from '../../../ports/store.ts'
import { accountWrites } from './accounts.ts'
import { incidentWrites } from './incidents.ts'
import { operatorWrites } from './operator.ts'
import { telemetryWrites } from './telemetry.ts'

export type WriterOptions = { readonly defaults: Settings; readonly leaveNotices: boolean }

/** Everything that can be written, by name: what the writer thread runs inside its transaction. */
export type Writes = ReturnType<typeof writesOn>

export function writesOn(db: Database, { defaults, leaveNotices }: WriterOptions) {
  const putNotice = db.prepare('INSERT INTO notices (left_at, notice) VALUES (?, ?)')
  const leave = (notice: Notice) => {
    if (leaveNotices) putNotice.run(Date.now(), JSON.stringify(notice))
  }
  const incidents = incidentWrites(db, defaults)
  const { append } = telemetryWrites(db, incidents)
  return {
    ...accountWrites(db, incidents),
    ...operatorWrites(db, leave),
    changeIncident(key: IncidentKey, command: Command): Committed {
      const committed = incidents.change(key, command)
      const { events, nextActionAt } = committed
      if (committed.verdict !== 'unchanged') leave({ kind: 'committed', events, nextActionAt })
      return committed
    },
    changePending: incidents.changePending,
    appendTelemetry: append,
  }
}

/** Writes of one statement that may fail alone need no savepoint around them: a failed statement undoes itself. */
export const singleStatement: ReadonlySet<string> = new Set(['addToOutbox', 'addDeadLetter', 'touch', 'forgetNotices'])
