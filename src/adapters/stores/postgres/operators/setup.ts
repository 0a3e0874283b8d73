import {
  decideOfferSetup,
  decideUseSetup,
  type SetupLink,
  type SetupSituation,
} from '../../../../core/operator/setup.ts'
import type { SetupStore } from '../../../../ports/store.ts'
import { SETUP_LINK, UNTIL_OPERATORS } from '../../shared/operators.ts'
import type { ReadsOf } from '../../shared/writes.ts'
import type { Reader } from '../engine/reader.ts'
import { insertSql } from '../engine/row.ts'
import { type Transaction, writesOf } from '../engine/write.ts'
import { recordAudit } from './record-audit.ts'

/**
 * Waits until no other transaction adds an operator, on any node of any version, and lets none add one until the
 * commit. Both tables in one statement and order, so that two transactions cannot wait for each other.
 */
const LOCK = 'LOCK TABLE operators, setup_links IN SHARE ROW EXCLUSIVE MODE'
const CLEAR = 'DELETE FROM setup_links'
const KEEP = 'INSERT INTO setup_links (hash, node, created_at, expires_at) VALUES ($1, $2, $3, $4)'
const INSERT = insertSql('operators')
const OPEN = insertSql('operator_sessions')

async function load({ connection }: Transaction): Promise<SetupSituation> {
  await connection.run(LOCK)
  const [of] = await connection.rows<{ count: number }>('SELECT count(*) AS count FROM operators')
  const [link] = await connection.rows<SetupLink>(SETUP_LINK)
  return { operators: of?.count ?? 0, link: link ?? null }
}

export const setupWrites = writesOf<SetupStore>()({
  offerSetup: {
    async run(transaction, link, running) {
      const decided = decideOfferSetup(await load(transaction), link, running)
      if ('refused' in decided) return decided
      const { hash, node, createdAt, expiresAt } = decided.keep
      await transaction.connection.run(CLEAR)
      await transaction.connection.run(KEEP, [hash, node, createdAt, expiresAt])
      return { offered: true }
    },
  },

  useSetup: {
    async run(transaction, hash, account, session, audit) {
      const decided = decideUseSetup(await load(transaction), hash, account, session)
      if ('refused' in decided) return decided
      const { connection } = transaction
      await connection.run(CLEAR)
      await connection.run(INSERT, [JSON.stringify([decided.insert])])
      await connection.run(OPEN, [JSON.stringify([decided.open])])
      await recordAudit(transaction, audit)
      return decided.result
    },
  },
})

export const setupReads = ({ row }: Reader): ReadsOf<SetupStore> => ({
  setupLink: () => row<SetupLink>(`${SETUP_LINK} ${UNTIL_OPERATORS}`),
})
