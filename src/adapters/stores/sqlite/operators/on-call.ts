import { decideOnCallChange, withTold } from '../../../../core/account/decide-on-call.ts'
import { type BoardWatch, type OnCall, withBoardWatch } from '../../../../core/account/on-call.ts'
import type { OnCallStore } from '../../../../ports/store.ts'
import { replacing } from '../../shared/columns.ts'
import { BOARD_WATCH, ON_CALL } from '../../shared/on-call.ts'
import type { SqliteDatabase } from '../engine/database.ts'
import { insertSql, type Row } from '../engine/row.ts'
import { type WriteContext, writesOf } from '../engine/write.ts'
import { auditing } from './record-audit.ts'

function lookup<T>(db: SqliteDatabase, sql: string): () => T | null {
  const stored = db.prepare<[], string>(sql).pluck()
  return () => {
    const document = stored.get()
    return document === undefined ? null : JSON.parse(document)
  }
}

/** Looks the list up. */
export const onCallLookup = (db: SqliteDatabase) => lookup<OnCall>(db, ON_CALL)
/** Looks up when an operator last had the board open. */
export const boardWatchLookup = (db: SqliteDatabase) => lookup<BoardWatch>(db, BOARD_WATCH)

const onCallRows = ({ db }: WriteContext) => {
  const keep = db.prepare<Row>(`${insertSql('on_call')} ${replacing('on_call')}`)
  return {
    stored: onCallLookup(db),
    watch: boardWatchLookup(db),
    keep: (onCall: OnCall) => keep.run({ name: 'list', document: JSON.stringify(onCall) }),
    keepWatch: (watch: BoardWatch) => keep.run({ name: 'watch', document: JSON.stringify(watch) }),
    record: auditing(db),
  }
}

/** Works while the disk is full: an alarm may depend on who is on duty. */
export const onCallWrites = writesOf<OnCallStore>()(onCallRows, {
  changeOnCall: {
    reserve: 'uses',
    run({ stored, keep, record }, change, audit) {
      const decided = decideOnCallChange(stored(), change)
      if ('refused' in decided) return decided
      keep(decided.update)
      record(audit)
      return { onCall: decided.update }
    },
  },

  noteToldOnCall: {
    run({ stored, keep }, told) {
      const update = withTold(stored(), told)
      if (update !== null) keep(update)
    },
  },

  // On a full disk it is left out: alarms then wait shorter, not longer.
  noteBoardWatched: {
    run({ watch, keepWatch }, scopes, at) {
      keepWatch(withBoardWatch(watch(), scopes, at))
    },
  },
})

export const onCallReads = (db: SqliteDatabase) => ({ onCall: onCallLookup(db) })
