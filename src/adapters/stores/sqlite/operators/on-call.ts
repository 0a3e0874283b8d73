import { decideOnCallChange, withTold } from '../../../../core/account/decide-on-call.ts'
import { type BoardWatch, type OnCall, withAccounts, withBoardWatch } from '../../../../core/account/on-call.ts'
import type { OnCallStore } from '../../../../ports/store.ts'
import { replacing } from '../../shared/columns.ts'
import { BOARD_WATCH, disabledAmong, ON_CALL } from '../../shared/on-call.ts'
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

const DISABLED = disabledAmong(
  `SELECT json_extract(value, '$.operatorId') FROM on_call, json_each(document, '$.people') WHERE name = 'list'`,
)

/** The list as it is stored. */
const storedLookup = (db: SqliteDatabase) => lookup<OnCall>(db, ON_CALL)

const accountsLookup = (db: SqliteDatabase): ((onCall: OnCall) => OnCall) => {
  const disabled = db.prepare<[], string>(DISABLED).pluck()
  return (onCall) => withAccounts(onCall, disabled.all())
}

/** Looks the list up. */
export function onCallLookup(db: SqliteDatabase): () => OnCall | null {
  const [stored, withTheirs] = [storedLookup(db), accountsLookup(db)]
  return () => {
    const onCall = stored()
    return onCall && withTheirs(onCall)
  }
}
/** Looks up when an operator last had the board open. */
export const boardWatchLookup = (db: SqliteDatabase) => lookup<BoardWatch>(db, BOARD_WATCH)

const onCallRows = ({ db }: WriteContext) => {
  const keep = db.prepare<Row>(`${insertSql('on_call')} ${replacing('on_call')}`)
  return {
    stored: storedLookup(db),
    withTheirs: accountsLookup(db),
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
    run({ stored, withTheirs, keep, record }, change, audit) {
      const decided = decideOnCallChange(stored(), change)
      if ('refused' in decided) return decided
      keep(decided.update)
      record(audit)
      return { onCall: withTheirs(decided.update) }
    },
  },

  noteToldOnCall: {
    run({ stored, keep }, told) {
      const update = withTold(stored(), told)
      if (update !== null) keep(update)
    },
  },

  // On a full disk it is left out: alarms then wait less, never more.
  noteBoardWatched: {
    run({ watch, keepWatch }, scopes, at) {
      keepWatch(withBoardWatch(watch(), scopes, at))
    },
  },
})

export const onCallReads = (db: SqliteDatabase) => ({ onCall: onCallLookup(db) })
