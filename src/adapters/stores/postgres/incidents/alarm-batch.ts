import { nothing } from '../../../../core/incident/decide.ts'
import { isChange } from '../../../../core/incident/decision.ts'
import { nextActionAt } from '../../../../core/incident/next-action.ts'
import type { AuditEntry } from '../../../../core/operator/audit.ts'
import type { Committed, OutboxMessage } from '../../../../ports/store.ts'
import type { CallOutcome } from '../engine/commit-lane.ts'
import type { Connection } from '../engine/connection.ts'
import { raiseMoment, type Transaction, type WriteContext } from '../engine/write.ts'
import { addMessages } from '../mail/outbox.ts'
import { recordAudit } from '../operators/record-audit.ts'
import { askOf, type DoorCall, type Found, inStoredTime, waitsForOwner } from './ask.ts'
import { lockAndLoad } from './load.ts'
import { save } from './save.ts'
import { WorkingSet } from './working-set.ts'

/**
 * The writes that alarms need: a command to the door, a message for the outbox, or the proof that it could be stored.
 */
export type AlarmCall = DoorCall | { readonly message: Omit<OutboxMessage, 'id'> } | { readonly prove: true }

/** The housekeeping after the commit of a batch. */
type Grown = (set: Pick<WorkingSet, 'opened' | 'grown'>) => void

/**
 * One batch in two round trips: BEGIN, the locks and the situations go out together, then everything decided and the
 * COMMIT. No answer of the first is used before BEGIN is answered, and after a statement that failed COMMIT rolls back.
 */
export const alarmBatch =
  (context: WriteContext, { firstSlot, hear }: { readonly firstSlot: number; readonly hear: Grown }) =>
  async (
    connection: Connection,
    calls: readonly AlarmCall[],
    slot: number,
  ): Promise<readonly CallOutcome<Committed | null>[]> => {
    const door = calls.filter((call) => 'key' in call)
    const { defaults } = context
    const begun = connection.begin()
    try {
      const found = await (door.length === 0
        ? begun.then(() => [])
        : lockAndLoad(connection, door.map(askOf), { defaults, begun }))
      const foundFor = new Map(door.map((call, place) => [call, found[place]!]))
      const set = new WorkingSet()
      const moments: number[] = []
      const audits: AuditEntry[] = []
      const outcomes = calls.map((call): CallOutcome<Committed | null> => {
        if (!('key' in call)) {
          moments.push(momentOf(call))
          return { result: null }
        }
        const situation = foundFor.get(call)!
        const stored = inStoredTime(call, situation)
        if (!situation.isLocked) return waitsForOwner(call.command) ? 'again' : { result: busy(stored, situation) }
        moments.push(momentOf(stored))
        const outcome = decided(set, stored, situation)
        if (call.audit !== undefined && hasChanged(outcome)) audits.push(call.audit)
        return outcome
      })
      const done = { leavesNotice: false }
      await committed({ ...context, connection, done }, { calls, set, moments, audits, slot: firstSlot + slot })
      hear(set)
      if (done.leavesNotice) context.notices.left()
      return outcomes
    } catch (error) {
      if (connection.isUsable) await connection.rollback()
      throw error
    }
  }

/** Steps of an incident that are due were left because its owner is locked. */
const busy = ({ command: { now } }: DoorCall, { incident }: Found): Committed => ({
  ...nothing(null),
  incidentId: null,
  lastPosition: null,
  nextActionAt: null,
  unknownDevice: false,
  attempt: null,
  busy: { lateMs: now - ((incident && nextActionAt(incident)) ?? now) },
})

function decided(set: WorkingSet, call: DoorCall, found: Found): CallOutcome<Committed> {
  try {
    return { result: set.apply(call, found) }
  } catch (error) {
    return { failed: error }
  }
}

/** Whether there is a change for the audit log. */
const hasChanged = (outcome: CallOutcome<Committed>): boolean =>
  typeof outcome === 'object' && 'result' in outcome && isChange(outcome.result.verdict)

/** Writes and commits. All of it is on its way at once. */
async function committed(
  transaction: Transaction,
  {
    calls,
    set,
    moments,
    audits,
    slot,
  }: {
    readonly calls: readonly AlarmCall[]
    readonly set: WorkingSet
    readonly moments: readonly number[]
    readonly audits: readonly AuditEntry[]
    readonly slot: number
  },
): Promise<void> {
  const { connection } = transaction
  const messages = calls.flatMap((call) => ('message' in call ? [call.message] : []))
  const moment = moments.reduce((newest, each) => Math.max(newest, each), 0)
  await connection.commitAfter([
    save(transaction, set.rows()),
    addMessages(connection, messages),
    // Nothing else was promised: each call of the batch was skipped.
    moments.length > 0 ? raiseMoment(transaction, { slot, moment }) : null,
    ...audits.map((entry) => recordAudit(transaction, entry)),
  ])
}

function momentOf(call: AlarmCall): number {
  if ('key' in call) return call.command.now
  return 'message' in call ? call.message.createdAt : 0
}
