import { setTimeout as pause } from 'node:timers/promises'
import type { User } from '../../../core/account/profile.ts'
import type { Log } from '../../../ports/log.ts'
import type { Meter } from '../../../ports/meter.ts'
import type { Committed, StoreError, TelemetryStored } from '../../../ports/store.ts'
import { ALARMS, BULK, MAX_SENDING, TELEMETRY_TURN } from '../shared/commit-limits.ts'
import { type Arrival, arrivalBatch } from './accounts/arrivals.ts'
import { CommitLane, type LaneRules } from './engine/commit-lane.ts'
import type { Connection } from './engine/connection.ts'
import { Pool } from './engine/pool.ts'
import { ARRAYS, connectFor, KEYS, KEYS_SOON } from './engine/purposes.ts'
import { runAlone, type WriteCall, type WriteContext } from './engine/write.ts'
import { type AlarmCall, alarmBatch } from './incidents/alarm-batch.ts'
import { type BulkCall, bulkBatch } from './telemetry/append-rows.ts'
import type { Growth } from './upkeep/growth.ts'

/** Batches of each lane in flight, each on its own session. */
const AT_ONCE = { alarms: 3, sending: 2, arrivals: 1, accounts: 2, bulk: 2, upkeep: 1, patient: 2 } as const
type LaneName = keyof typeof AT_ONCE
/** The planner's settings for the statements of a lane. */
const PURPOSES: Partial<Record<LaneName, typeof KEYS>> = {
  alarms: KEYS,
  sending: KEYS_SOON,
  patient: KEYS,
  accounts: KEYS,
  bulk: ARRAYS,
}

const SENDING = { items: MAX_SENDING, bytes: ALARMS.bytes }
const ONE = { items: 1, bytes: Number.POSITIVE_INFINITY }
/** Upkeep waits for alarms, but not for ever. */
const MAX_YIELD_MS = 1000

/** The path of each kind of write to the database. None holds another one up. */
export type Lanes = {
  /** Writes that a person in need or a helper waits for; the proof that the store is writable. */
  readonly alarms: CommitLane<AlarmCall, Committed | null>
  /** The dispatcher's claims, outcomes and outbox messages. */
  readonly sending: CommitLane<AlarmCall, Committed | null>
  /** Claims and outcomes that wait for an owner who is locked. */
  readonly patient: CommitLane<AlarmCall, Committed | null>
  /** First logins. */
  readonly arrivals: CommitLane<Arrival, User>
  readonly accounts: CommitLane<WriteCall, unknown>
  readonly bulk: CommitLane<BulkCall, TelemetryStored | null>
  readonly upkeep: CommitLane<WriteCall, unknown>
  /** Opens a session for each. Rejects with a StoreError. */
  open(): Promise<unknown>
  /** Commits everything submitted, then ends the sessions. */
  close(): Promise<void>
}

type LanesNeeds = {
  readonly connect: () => Promise<Connection>
  readonly maxWaitingBytes: number
  /** Hears which rows have grown. */
  readonly growth: Growth
  /** Hears of every write that was refused. */
  readonly onRefused: (error: StoreError) => void
  readonly log: Log
  readonly meter: Meter
}

export function openLanes(
  context: WriteContext,
  { connect, maxWaitingBytes, growth, onRefused, log, meter }: LanesNeeds,
): Lanes {
  const pools: Pool[] = []
  type Chosen<C, R> = Pick<LaneRules<C, R>, 'batch' | 'run'> & Partial<LaneRules<C, R>>
  const lane = <C, R>(name: LaneName, chosen: Chosen<C, R>): CommitLane<C, R> => {
    const atOnce = AT_ONCE[name]
    const purpose = PURPOSES[name]
    const pool = new Pool(purpose === undefined ? connect : () => connectFor(purpose, connect), {
      size: atOnce,
      maxWaiting: atOnce,
    })
    pools.push(pool)
    return new CommitLane({ pool, atOnce, turn: 1, maxBytes: maxWaitingBytes, ...chosen }, { log, meter, onRefused })
  }
  const door = (name: 'alarms' | 'sending' | 'patient', batch: LaneRules<never, never>['batch']): Lanes['alarms'] =>
    lane(name, {
      batch,
      maxBytes: 2 * maxWaitingBytes,
      run: alarmBatch(context, { firstSlot: FIRST_SLOTS[name], hear: (set) => growth.hearIncidents(set) }),
    })
  const alarms = door('alarms', ALARMS)
  const lanes = {
    alarms,
    sending: door('sending', SENDING),
    // One at a time, so that no call waits for another's owner.
    patient: door('patient', ONE),
    arrivals: lane('arrivals', { batch: ALARMS, run: arrivalBatch(context, FIRST_SLOTS.arrivals) }),
    accounts: lane('accounts', { batch: ONE, run: runAlone(context, FIRST_SLOTS.accounts) }),
    bulk: lane('bulk', {
      batch: BULK,
      turn: TELEMETRY_TURN,
      run: bulkBatch(context, { firstSlot: FIRST_SLOTS.bulk, hear: (stored) => growth.hearBulk(stored) }),
    }),
  }
  const upkeep = lane('upkeep', {
    batch: ONE,
    run: runAlone(context, FIRST_SLOTS.upkeep),
    turnComes: () => Promise.race([alarms.idle(), pause(MAX_YIELD_MS, undefined, { ref: false })]),
  })
  return {
    ...lanes,
    upkeep,
    open: () => Promise.all(pools.map((pool) => pool.open())),
    async close() {
      // The upkeep last: rows that the others have stored may need some.
      await Promise.all(Object.values(lanes).map((one) => one.close()))
      await upkeep.close()
      await Promise.all(pools.map((pool) => pool.close()))
    },
  }
}

/** The first slot of each lane: each batch in flight has its own row of `moments`, by its slot. */
const FIRST_SLOTS: Readonly<Record<LaneName, number>> = (() => {
  let next = 0
  const first = (name: LaneName): number => {
    next += AT_ONCE[name]
    return next - AT_ONCE[name]
  }
  return {
    alarms: first('alarms'),
    sending: first('sending'),
    arrivals: first('arrivals'),
    accounts: first('accounts'),
    bulk: first('bulk'),
    upkeep: first('upkeep'),
    patient: first('patient'),
  }
})()
