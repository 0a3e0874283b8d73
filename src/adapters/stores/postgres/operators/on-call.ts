import { decideOnCallChange, withTold } from '../../../../core/account/decide-on-call.ts'
import { type BoardWatch, type OnCall, withAccounts, withBoardWatch } from '../../../../core/account/on-call.ts'
import type { OnCallStore } from '../../../../ports/store.ts'
import { replacing } from '../../shared/columns.ts'
import { disabledAmong, ON_CALL } from '../../shared/on-call.ts'
import type { ReadsOf } from '../../shared/writes.ts'
import type { Connection } from '../engine/connection.ts'
import type { Reader } from '../engine/reader.ts'
import { insertSql } from '../engine/row.ts'
import { writesOf } from '../engine/write.ts'
import { recordAudit } from './record-audit.ts'

/** A row to lock, so that the first two changes wait for each other as well. */
const ENSURED = "INSERT INTO on_call (name, document) VALUES ($1, 'null') ON CONFLICT (name) DO NOTHING"
const LOCKED = 'SELECT document FROM on_call WHERE name = $1 FOR NO KEY UPDATE'
const KEEP = `${insertSql('on_call')} ${replacing('on_call')}`

/** An array of ids. Of no list, an empty one. */
export const DISABLED = `SELECT coalesce(json_agg(id), '[]') FROM (${disabledAmong(
  `SELECT person ->> 'operatorId' FROM on_call, json_array_elements(document -> 'people') AS person WHERE name = 'list'`,
)}) AS disabled`

type Documents = { readonly list: OnCall; readonly watch: BoardWatch }

async function locked<N extends keyof Documents>(connection: Connection, name: N): Promise<Documents[N] | null> {
  await connection.run(ENSURED, [name])
  const [found] = await connection.rows<{ document: Documents[N] | null }>(LOCKED, [name])
  return found?.document ?? null
}

const keep = <N extends keyof Documents>(connection: Connection, name: N, document: Documents[N]): Promise<unknown> =>
  connection.run(KEEP, [JSON.stringify([{ name, document }])])

export const onCallWrites = writesOf<OnCallStore>()({
  changeOnCall: {
    async run(transaction, change, audit) {
      const { connection } = transaction
      const decided = decideOnCallChange(await locked(connection, 'list'), change)
      if ('refused' in decided) return decided
      await keep(connection, 'list', decided.update)
      await recordAudit(transaction, audit)
      const [found] = await connection.rows<{ disabled: readonly string[] }>(`SELECT (${DISABLED}) AS disabled`, [])
      return { onCall: withAccounts(decided.update, found?.disabled ?? []) }
    },
  },

  noteToldOnCall: {
    async run({ connection }, told) {
      const update = withTold(await locked(connection, 'list'), told)
      if (update !== null) await keep(connection, 'list', update)
    },
  },

  noteBoardWatched: {
    async run({ connection }, scopes, at) {
      await keep(connection, 'watch', withBoardWatch(await locked(connection, 'watch'), scopes, at))
    },
  },
})

const READ = `SELECT (${ON_CALL}) AS document, (${DISABLED}) AS disabled`

export const onCallReads = ({ rows }: Reader): ReadsOf<OnCallStore> => ({
  async onCall() {
    const [found] = await rows<{ document: OnCall | null; disabled: readonly string[] }>(READ)
    return found === undefined || found.document === null ? null : withAccounts(found.document, found.disabled)
  },
})
