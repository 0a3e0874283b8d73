import type { ClockDoubt, ClockStore } from '../../../../ports/store.ts'
import type { Era } from '../engine/era.ts'
import type { Reader } from '../engine/reader.ts'
import { leaveNotice, type Transaction, writesOf } from '../engine/write.ts'
import { recordAudit } from '../operators/record-audit.ts'

const READ = `SELECT coalesce((SELECT max(newest_moment) FROM moments), 0) AS "newestMoment",
    (SELECT value FROM meta WHERE key = 'believed_moment') AS "believedMoment",
    (SELECT value FROM meta WHERE key = 'clock_needs_operator') AS "needsOperator",
    coalesce((SELECT count FROM clock_jumps), 0) AS jumps`

type ClockRow = {
  readonly newestMoment: number
  /** Null or 0: there is no doubt. */
  readonly believedMoment: number | null
  readonly needsOperator: number | null
  readonly jumps: number
}

export const clockReads = ({ row }: Reader, era: Pick<Era, 'jumps'>): Pick<ClockStore, 'clockRecord'> => ({
  async clockRecord() {
    const { newestMoment, believedMoment, needsOperator, jumps } = (await row<ClockRow>(READ))!
    const doubt = believedMoment ? { believedMoment, needsOperator: needsOperator === 1 } : null
    const missesJump = era.jumps !== null && era.jumps.count !== jumps
    return { newestMoment, doubt, ...(missesJump && { missesJump }) }
  },
})

const SET = `INSERT INTO meta (key, value) VALUES ('believed_moment', $1), ('clock_needs_operator', $2)
  ON CONFLICT (key) DO UPDATE SET value = excluded.value`

const setDoubt = ({ connection }: Transaction, doubt: ClockDoubt | null): Promise<number> =>
  connection.run(SET, [doubt?.believedMoment ?? 0, doubt?.needsOperator ? 1 : 0])

/** Overwrites any earlier value: the clock itself has changed. */
export async function setMoment({ connection, node }: Transaction, now: number): Promise<void> {
  await connection.run('DELETE FROM moments')
  await connection.run('INSERT INTO moments (node, slot, newest_moment) VALUES ($1, 0, $2)', [node ?? 'command', now])
}

export const clockWrites = writesOf<ClockStore>()({
  keepClock: {
    async run(transaction, now, doubt) {
      await setMoment(transaction, now)
      await setDoubt(transaction, doubt)
    },
  },
  acceptClock: {
    async run(transaction, now, audit) {
      await setDoubt(transaction, { believedMoment: now, needsOperator: false })
      await recordAudit(transaction, audit)
      await leaveNotice(transaction, { kind: 'clock_accepted' })
    },
  },
})
