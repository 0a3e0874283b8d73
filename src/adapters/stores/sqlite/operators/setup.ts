import type { OperatorAccount } from '../../../../core/operator/decide-operator.ts'
import type { NewSession } from '../../../../core/operator/session.ts'
import {
  decideOfferSetup,
  decideUseSetup,
  type SetupLink,
  type SetupSituation,
} from '../../../../core/operator/setup.ts'
import type { SetupStore } from '../../../../ports/store.ts'
import { SETUP_LINK, UNTIL_OPERATORS } from '../../shared/operators.ts'
import type { SqliteDatabase } from '../engine/database.ts'
import { insertSql, type Row, toRow } from '../engine/row.ts'
import { type WriteContext, writesOf } from '../engine/write.ts'
import { auditing } from './record-audit.ts'

const accountRow = toRow<OperatorAccount>('operators')
const sessionRow = toRow<NewSession>('operator_sessions')

function setupRows({ db }: WriteContext) {
  const link = db.prepare<[], SetupLink>(SETUP_LINK)
  const operators = db.prepare<[], number>('SELECT count(*) FROM operators').pluck()
  return {
    record: auditing(db),
    load: (): SetupSituation => ({ operators: operators.get() ?? 0, link: link.get() ?? null }),
    clear: db.prepare<[]>('DELETE FROM setup_links'),
    keep: db.prepare<SetupLink>('INSERT INTO setup_links VALUES (@hash, @node, @createdAt, @expiresAt)'),
    insert: db.prepare<Row>(insertSql('operators')),
    open: db.prepare<Row>(insertSql('operator_sessions')),
  }
}

export const setupWrites = writesOf<SetupStore>()(setupRows, {
  offerSetup: {
    run({ load, clear, keep }, link, running) {
      const decided = decideOfferSetup(load(), link, running)
      if ('refused' in decided) return decided
      clear.run()
      keep.run(decided.keep)
      return { offered: true }
    },
  },

  useSetup: {
    run({ load, clear, insert, open, record }, hash, account, session, audit) {
      const decided = decideUseSetup(load(), hash, account, session)
      if ('refused' in decided) return decided
      clear.run()
      insert.run(accountRow(decided.insert))
      open.run(sessionRow(decided.open))
      record(audit)
      return decided.result
    },
  },
})

export function setupReads(db: SqliteDatabase) {
  const link = db.prepare<[], SetupLink>(`${SETUP_LINK} ${UNTIL_OPERATORS}`)
  return { setupLink: (): SetupLink | null => link.get() ?? null }
}
