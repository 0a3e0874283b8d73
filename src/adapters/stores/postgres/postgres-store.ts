import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '../../../ports/log.ts'
import type { Meter } from '../../../ports/meter.ts'
import type { Committed, Store, TelemetryStored } from '../../../ports/store.ts'
import { StoreError } from '../../../ports/store.ts'
import { stepOf } from '../shared/changes.ts'
import { type Arrival, arrivalBatch } from './accounts/arrivals.ts'
import { accountWrites } from './accounts/change-account.ts'
import { applicationWrites } from './accounts/change-application.ts'
import { contactWrites } from './accounts/change-contacts.ts'
import { erasureWrites } from './accounts/erase-user.ts'
import { accountReads } from './accounts/read-accounts.ts'
import { deviceWrites } from './devices/change-devices.ts'
import { feedbackWrites } from './devices/feedback.ts'
import { deviceReads } from './devices/read-devices.ts'
import { CommitLane, type LaneRules } from './engine/commit-lane.ts'
import type { Connection } from './engine/connection.ts'
import { Pool } from './engine/pool.ts'
import { readerOn } from './engine/reader.ts'
import { runAlone, type Write, type WriteCall, type WriteContext } from './engine/write.ts'
import { type AlarmCall, alarmBatch } from './incidents/alarm-batch.ts'
import { incidentReads } from './incidents/read-incidents.ts'
import { mailReads } from './mail/read-mail.ts'
import { type BulkCall, bulkBatch } from './telemetry/append-rows.ts'
import { telemetryReads } from './telemetry/read-telemetry.ts'
import { clockReads, clockWrites } from './upkeep/clock.ts'
import { figuresOn } from './upkeep/figures.ts'
import { Growth } from './upkeep/growth.ts'
import { noticesOn, noticeWrites } from './upkeep/notices.ts'
import { retentionWrites } from './upkeep/retention.ts'
import { trimWrites } from './upkeep/trim.ts'

/** What somebody waits for. */
const accounts = { ...accountWrites, ...contactWrites, ...applicationWrites, ...deviceWrites, ...feedbackWrites }
/** What can wait, and what the operator does now and then. */
const upkeep = { ...erasureWrites, ...clockWrites, ...noticeWrites, ...retentionWrites, ...trimWrites }

type Writes = Readonly<Record<string, Write<never, unknown>>>
type Methods<T extends Writes> = {
  readonly [N in keyof T]: T[N] extends Write<infer A, infer R> ? (...args: A) => Promise<R> : never
}

/** Memory that a call holds besides its measured size: its promise, and whatever the sender keeps until it settles. */
const CALL_BYTES = 4096
const ROW_BYTES = 1024

/**
 * Sessions of each lane: an alarm waits for nothing but alarms, not even for what others have set off. Their order is
 * that of the slots, the numbers of their rows in `moments`.
 */
const SESSIONS = { alarms: 3, sending: 2, arrivals: 1, accounts: 2, bulk: 2, upkeep: 1 } as const
const READERS = 4
const MAX_WAITING_READS = 1000
/** Housekeeping waits for alarms, but not for ever. */
const MAX_YIELD_MS = 1000
/** How long an alarm waits depends on the batch before it, which stays short beside a flooder. As on SQLite. */
const MAX_ALARMS = { items: 250, bytes: 4 * 1024 * 1024, itemsOfOne: 8 }
/** The dispatcher's claims and outcomes. */
const MAX_SENDING = { items: 64, bytes: 4 * 1024 * 1024 }
const MAX_BULK = { items: 500, bytes: 1024 * 1024 }
const ONE = { items: 1, bytes: Number.POSITIVE_INFINITY }
/** Rows of one user lie next to each other. */
const TELEMETRY_TURN = 8

type Parts = {
  readonly connect: () => Promise<Connection>
  readonly maxWaitingBytes: number
  readonly log: Log
  readonly meter: Meter
}

/** The store on a database that `connect` opens sessions on. */
export function storeOn(context: WriteContext, { connect, maxWaitingBytes, log, meter }: Parts): Store {
  const pool = (size: number): Pool => new Pool(connect, { size, maxWaiting: size })
  const firstSlots = slotsOf(SESSIONS)
  const pools = {
    alarms: pool(SESSIONS.alarms),
    sending: pool(SESSIONS.sending),
    arrivals: pool(SESSIONS.arrivals),
    accounts: pool(SESSIONS.accounts),
    bulk: pool(SESSIONS.bulk),
    upkeep: pool(SESSIONS.upkeep),
    reads: new Pool(connect, { size: READERS, maxWaiting: MAX_WAITING_READS }),
  }
  const report = { log, meter }

  const doUpkeep = <N extends keyof typeof upkeep>(name: N) => upkeepMethods[name]
  const ignored = (what: string, work: Promise<unknown>): void =>
    void work.catch((error) => log.warn({ err: error }, `${what} failed; it will be done later`))
  const growth = new Growth(context.quotas, {
    trimIncident: (number) => ignored('trimming an incident', doUpkeep('trimIncident')(number)),
    trimIncidents: (userId) => ignored('trimming the incidents of a user', doUpkeep('trimIncidents')(userId)),
    chargeTelemetry: (number, bytes) => ignored('a quota', doUpkeep('chargeTelemetry')(number, bytes)),
    chargeLetters: (userId, bytes) => ignored('a quota', doUpkeep('chargeLetters')(userId, bytes)),
  })

  const door = (name: 'alarms' | 'sending', batch: LaneRules<AlarmCall, Committed | null>['batch']) =>
    new CommitLane<AlarmCall, Committed | null>(
      {
        pool: pools[name],
        atOnce: SESSIONS[name],
        batch,
        turn: 1,
        maxBytes: 2 * maxWaitingBytes,
        run: alarmBatch(context, { firstSlot: firstSlots[name], hear: (set) => growth.hearIncidents(set) }),
      },
      report,
    )
  const alarms = door('alarms', MAX_ALARMS)
  const sending = door('sending', MAX_SENDING)
  const arrivals = new CommitLane<Arrival, Awaited<ReturnType<Store['ensureUser']>>>(
    {
      pool: pools.arrivals,
      atOnce: SESSIONS.arrivals,
      batch: MAX_ALARMS,
      turn: 1,
      maxBytes: maxWaitingBytes,
      run: arrivalBatch(context, firstSlots.arrivals),
    },
    report,
  )
  const single = (name: 'accounts' | 'upkeep', turnComes?: () => Promise<void>): CommitLane<WriteCall, unknown> =>
    new CommitLane(
      {
        pool: pools[name],
        atOnce: SESSIONS[name],
        batch: ONE,
        turn: 1,
        maxBytes: maxWaitingBytes,
        run: runAlone(context, firstSlots[name]),
        ...(turnComes !== undefined && { turnComes }),
      },
      report,
    )
  const accountLane = single('accounts')
  const upkeepLane = single('upkeep', () =>
    Promise.race([alarms.idle(), pause(MAX_YIELD_MS, undefined, { ref: false })]),
  )
  const bulk = new CommitLane<BulkCall, TelemetryStored | null>(
    {
      pool: pools.bulk,
      atOnce: SESSIONS.bulk,
      batch: MAX_BULK,
      turn: TELEMETRY_TURN,
      maxBytes: maxWaitingBytes,
      run: bulkBatch(context, {
        firstSlot: firstSlots.bulk,
        hear({ owners, letters, grown }) {
          for (const { number, bytes } of owners) growth.hearTelemetry(number, bytes)
          for (const { userId, bytes } of letters) growth.hearLetter(userId, bytes)
          growth.hearIncidents({ grown })
        },
      }),
    },
    report,
  )
  const upkeepMethods = methodsOn(upkeepLane, upkeep)
  const reading = readerOn(pools.reads)
  const notices = noticesOn(reading, { purge: () => upkeepMethods.purgeNotices(), log })
  let proving: Promise<unknown> | null = null
  let closing: Promise<void> | null = null

  const close = async (): Promise<void> => {
    notices.stop()
    // The upkeep last: what the others have stored may need some.
    await Promise.all([alarms, sending, arrivals, accountLane, bulk].map((lane) => lane.close()))
    await upkeepLane.close()
    await Promise.all(Object.values(pools).map((one) => one.close()))
  }

  return {
    ...incidentReads(reading),
    ...clockReads(reading),
    ...telemetryReads(reading),
    ...accountReads(reading),
    ...deviceReads(reading),
    ...mailReads(reading),
    ...figuresOn(reading),
    ...methodsOn(accountLane, accounts),
    ...upkeepMethods,

    changeIncident: async (key, command) => {
      const sender = 'reporter' in key ? key.reporter.userId : 'openOf' in key ? key.openOf : key.incidentId
      const lane = stepOf(command.type) === null ? alarms : sending
      return (await lane.write({ key, command }, { sender, bytes: CALL_BYTES }))!
    },
    async addToOutbox(message) {
      await sending.write({ message }, { sender: '', bytes: CALL_BYTES })
    },
    ensureUser: (user) => arrivals.write(user, { sender: `${user.appId}:${user.externalUserId}`, bytes: CALL_BYTES }),
    async checkWritable() {
      // One at a time: further callers wait for the same answer while the database hangs.
      proving ??= alarms.write({ prove: true }, { sender: '', bytes: CALL_BYTES }).finally(() => {
        proving = null
      })
      await proving
    },

    appendTelemetry(reporter, row, settle) {
      const json = row.json ?? JSON.stringify(row.payload)
      bulk.submit({ reporter, row, json }, { sender: reporter.userId, bytes: ROW_BYTES + json.length }, (result) =>
        settle(result instanceof StoreError ? result : result!),
      )
    },
    isCongested: (userId) => bulk.isCongested(userId) || alarms.isCongested(''),
    async addDeadLetter(letter) {
      // Copied: the sender may use its buffer again.
      const payload = new Uint8Array(letter.payload)
      await bulk.write(
        { letter: { ...letter, payload } },
        { sender: letter.userId, bytes: ROW_BYTES + payload.byteLength },
      )
    },

    async finishErasure(userId, since) {
      await upkeepMethods.sweepAfterErasure(userId, since)
      return 'none'
    },
    onNotice: notices.onNotice,
    trouble: () => null,
    close() {
      closing ??= close()
      return closing
    },
  }
}

/** The writes as the port declares them. */
const methodsOn = <T extends Writes>(lane: CommitLane<WriteCall, unknown>, writes: T): Methods<T> =>
  Object.fromEntries(
    Object.entries(writes).map(([name, write]) => [
      name,
      (...args: never) => lane.write({ write, args }, { sender: write.sender?.(...args) ?? '', bytes: CALL_BYTES }),
    ]),
  ) as unknown as Methods<T>

/** The first slot of each lane. */
function slotsOf<K extends string>(sessions: Readonly<Record<K, number>>): Readonly<Record<K, number>> {
  let next = 0
  return Object.fromEntries(
    Object.entries<number>(sessions).map(([name, count]) => {
      const first = next
      next += count
      return [name, first]
    }),
  ) as Record<K, number>
}
