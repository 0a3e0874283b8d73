import { decideOnCallChange, withTold } from '../../../../core/account/decide-on-call.ts'
import { type BoardWatch, type OnCall, withBoardWatch } from '../../../../core/account/on-call.ts'
import type { OnCallStore } from '../../../../ports/store.ts'
import { replacing } from '../../shared/columns.ts'
import { ON_CALL } from '../../shared/on-call.ts'
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
      return { onCall: decided.update }
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

export const onCallReads = ({ rows }: Reader): ReadsOf<OnCallStore> => ({
  async onCall() {
    const [found] = await rows<{ document: OnCall | null }>(ON_CALL)
    return found?.document ?? null
  },
})
