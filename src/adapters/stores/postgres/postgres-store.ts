import { randomUUID } from 'node:crypto'
import { joinedCalls } from '../../../lib/shared-reads.ts'
import { bothClocks } from '../../../lib/waited.ts'
import type { Log } from '../../../ports/log.ts'
import type { Meter } from '../../../ports/meter.ts'
import type { SharedKeys } from '../../../ports/shared-keys.ts'
import type { SharedTime } from '../../../ports/shared-time.ts'
import { type IncidentKey, type Store, StoreError } from '../../../ports/store.ts'
import { auditedBy } from '../shared/audited.ts'
import { stepOf } from '../shared/changes.ts'
import { CALL_BYTES, ROW_BYTES } from '../shared/commit-limits.ts'
import { compactOf } from '../shared/stored-telemetry.ts'
import { cardReads } from './accounts/cards.ts'
import { enrolmentReads } from './accounts/enrol.ts'
import { pushReads } from './accounts/push.ts'
import { accountReads, readmissionReads } from './accounts/read-accounts.ts'
import { smsReads } from './accounts/sms-sos.ts'
import { verificationReads } from './accounts/verify-contacts.ts'
import { fieldReads } from './devices/field-devices.ts'
import { deviceReads } from './devices/read-devices.ts'
import { silenceReads } from './devices/silence.ts'
import type { Connection } from './engine/connection.ts'
import { DiskSpace } from './engine/disk-space.ts'
import { Era } from './engine/era.ts'
import { Pool } from './engine/pool.ts'
import { connectFor, LOOSE } from './engine/purposes.ts'
import { readerOn } from './engine/reader.ts'
import type { WriteContext } from './engine/write.ts'
import { boardReads } from './incidents/read-board.ts'
import { incidentReads } from './incidents/read-incidents.ts'
import { openLanes } from './lanes.ts'
import { mailReads } from './mail/read-mail.ts'
import { Notices } from './notices/notices.ts'
import { onCallReads } from './operators/on-call.ts'
import { operatorPushReads } from './operators/operator-pushes.ts'
import { operatorReads } from './operators/read-operators.ts'
import { settingsReads } from './operators/settings.ts'
import { setupReads } from './operators/setup.ts'
import { shiftReads } from './operators/shifts.ts'
import { removalTextReads } from './removals/removal-texts.ts'
import { providerTurns } from './sending/provider-turns.ts'
import { talkReads } from './talk/read-talk.ts'
import { telemetryReads } from './telemetry/read-telemetry.ts'
import { timerReads } from './timers/read-timers.ts'
import { certificateReads } from './upkeep/certificates.ts'
import { clockReads } from './upkeep/clock.ts'
import { textRowReads } from './upkeep/compact-rows.ts'
import { figuresOn } from './upkeep/figures.ts'
import { Growth } from './upkeep/growth.ts'
import { watchServer } from './upkeep/server-watch.ts'
import { sharedKeysOn } from './upkeep/shared-keys.ts'
import { siteTimeOn } from './upkeep/site-time.ts'
import { unnamedEndReads } from './upkeep/unnamed-ends.ts'
import { accounts, methodsOn, upkeep } from './writes.ts'

const READERS = { size: 4, maxWaiting: 1000 }
/** For reads that have to end within 2 s, however busy the readers are. As many applications may wait. */
const CHECKERS = { size: 1, maxWaiting: 1000 }
/** Two, so that no channel waits for the other. */
const TURN_TAKERS = { size: 2, maxWaiting: 100 }

/** The store, and the clock and the keys that all its nodes share. */
export type SharedStore = Store &
  SharedKeys & {
    readonly time: SharedTime
    /** Opens a session for each purpose. Rejects with a StoreError. */
    open(): Promise<unknown>
  }

type SharedStoreNeeds = {
  readonly connect: () => Promise<Connection>
  readonly onNewPrimary: (listener: () => void) => void
  /** Whether several hosts are listed: one of them is meant to be a standby. Null: the server is not monitored. */
  readonly severalHosts: boolean | null
  readonly maxWaitingBytes: number
  /** Whether nodes wake each other with NOTIFY. */
  readonly notify: boolean
  /** Whether no other node is known to live. */
  readonly isAlone: () => boolean
  /** Whether a node of another version may still run, as far as is known: it may not read compact rows. */
  readonly isMixed: () => boolean
  readonly pollMs?: number
  readonly log: Log
  readonly meter: Meter
}

/** The sender whose turn a command takes, and the row that it locks: many may report for one device. */
function aboutOf(key: IncidentKey): { readonly sender: string; readonly lock: string } {
  if ('incidentId' in key) return { sender: key.incidentId, lock: key.incidentId }
  if ('openOf' in key) return { sender: key.openOf, lock: key.openOf }
  const { appId, userId, deviceId } = key.reporter
  return { sender: userId, lock: deviceId === null ? userId : `${appId}/${deviceId}` }
}

const isBusy = (error: unknown): boolean => error instanceof StoreError && error.kind === 'busy'

/** The store on a database that `connect` opens sessions on. */
export function storeOn(given: Omit<WriteContext, 'era' | 'notices'>, needs: SharedStoreNeeds): SharedStore {
  const { connect, severalHosts, maxWaitingBytes, log, meter } = needs
  const era = new Era()
  const notices = new Notices({ ...needs, purge: (ids) => upkeepMethods.purgeNotices(ids) })
  let { defaults } = given
  const context: WriteContext = {
    ...given,
    get defaults() {
      return defaults
    },
    era,
    notices,
  }
  const trimming = (work: Promise<unknown>): void =>
    void work.catch((error) => log.warn({ err: error }, 'old rows could not be removed; they will be with later ones'))
  const growth = new Growth(context.quotas, {
    trimIncident: (number) => trimming(upkeepMethods.trimIncident(number)),
    trimIncidents: (userId) => trimming(upkeepMethods.trimIncidents(userId)),
    chargeTelemetry: (number, bytes) => trimming(upkeepMethods.chargeTelemetry(number, bytes)),
    chargeLetters: (userId, bytes) => trimming(upkeepMethods.chargeLetters(userId, bytes)),
  })
  const disk = new DiskSpace()
  const onRefused = (error: StoreError): void => disk.refused(error)
  const lanes = openLanes(context, { connect, maxWaitingBytes, growth, onRefused, log, meter })
  const { alarms, sending, patient, arrivals, bulk } = lanes
  const accountMethods = methodsOn(lanes.accounts, accounts)
  const upkeepMethods = methodsOn(lanes.upkeep, upkeep)
  const readers = new Pool(connect, READERS)
  const reader = readerOn(readers)
  const checkers = new Pool(connect, CHECKERS)
  const turnTakers = new Pool(connect, TURN_TAKERS)
  const clockSession = new Pool(() => connectFor(LOOSE, connect), { size: 1, maxWaiting: 2 })
  const time = siteTimeOn({
    pool: clockSession,
    node: context.node,
    era,
    move: async (jump) => (await upkeepMethods.moveDeadlines(jump)).jumps,
  })
  const server = severalHosts === null ? null : watchServer(reader, { severalHosts, log })
  let closing: Promise<void> | null = null
  const pools = [turnTakers, readers, checkers, clockSession]

  const close = async (): Promise<void> => {
    await Promise.all([notices.stop(), server?.stop()])
    await lanes.close()
    await Promise.all(pools.map((pool) => pool.close()))
  }

  return {
    ...incidentReads(reader),
    ...boardReads(reader),
    ...clockReads(reader, era),
    ...telemetryReads(reader, log),
    ...textRowReads(reader),
    ...accountReads(reader),
    ...cardReads(reader),
    ...verificationReads(reader),
    ...enrolmentReads(reader),
    ...pushReads(reader),
    ...removalTextReads(reader),
    ...smsReads(reader),
    ...readmissionReads(readerOn(checkers, reader)),
    ...deviceReads(reader),
    ...fieldReads(reader),
    ...silenceReads(reader),
    ...mailReads(reader),
    ...operatorReads(reader),
    ...operatorPushReads(reader),
    ...setupReads(reader),
    ...onCallReads(reader),
    ...shiftReads(reader),
    ...settingsReads(reader),
    ...unnamedEndReads(reader),
    ...certificateReads(reader),
    ...talkReads(reader),
    ...timerReads(reader),
    ...figuresOn(reader),
    ...accountMethods,
    audited: auditedBy((...call) => accountMethods.auditedChange(...call)),
    ...sharedKeysOn(reader, accountMethods),
    ...upkeepMethods,

    async changeIncident(key, command, audit, withdrawal) {
      const isPatient = command.type === 'proceed' && command.isPatient === true
      const step = stepOf(command.type)
      const lane = isPatient ? patient : step === null ? alarms : sending
      const followedMs = era.jumps?.totalMs ?? null
      const call = { key, command, followedMs, audit, handedIn: bothClocks(), withdrawal }
      const about = { ...aboutOf(key), bytes: CALL_BYTES }
      try {
        return (await lane.write(call, about))!
      } catch (error) {
        // Another node has the owner locked, or is frozen. Others' claims must not wait for that.
        if (step === 'outcome' && isBusy(error)) return (await patient.write(call, about))!
        throw error
      }
    },
    async changePending(command) {
      const after = era.jumps
      const { jumps, changed } = await upkeepMethods.moveDeadlines({ command, after, passed: null })
      if (after !== null && jumps !== null) era.follow(jumps)
      return changed
    },
    time,
    async addToOutbox(message) {
      await sending.write({ message }, { sender: '', bytes: CALL_BYTES })
    },
    ensureUser: (user) => arrivals.write(user, { sender: `${user.appId}:${user.externalUserId}`, bytes: CALL_BYTES }),
    // One at a time: further callers wait for the same answer while the database hangs.
    checkWritable: joinedCalls(async () => {
      await alarms.write({ prove: true }, { sender: '', bytes: CALL_BYTES })
    }),

    appendTelemetry(reporter, row, settle) {
      const payload = needs.isMixed() ? JSON.stringify(row.payload) : compactOf(row)
      bulk.submit(
        { reporter, row, payload },
        { sender: reporter.userId, bytes: ROW_BYTES + payload.length },
        (result) => settle(result instanceof StoreError ? result : result!),
      )
    },
    isCongested: (userId) => bulk.isCongested(userId) || alarms.isCongested(userId),
    async addDeadLetter(letter) {
      // Copied: the sender may use its buffer again.
      const payload = new Uint8Array(letter.payload)
      const about = { sender: letter.userId, bytes: ROW_BYTES + payload.byteLength }
      await bulk.write({ letter: { ...letter, payload } }, about)
    },

    async finishErasure(userId, since) {
      await upkeepMethods.sweepAfterErasure(userId, since)
      return 'none'
    },
    turns: providerTurns(turnTakers, context.node ?? randomUUID()),
    onNotice: notices.onNotice,
    announcesNow: notices.announcesNow,
    noticesAgeMs: notices.noticesAgeMs,
    async planWith(next) {
      defaults = next
    },
    trouble: () => disk.trouble,
    ...(server !== null && { server }),
    open: () => Promise.all([lanes.open(), ...pools.map((pool) => pool.open())]),
    close() {
      closing ??= close()
      return closing
    },
  }
}
