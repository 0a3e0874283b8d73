import { joinedCalls } from '../../../lib/shared-reads.ts'
import { bothClocks } from '../../../lib/waited.ts'
import type { Log } from '../../../ports/log.ts'
import { type Store, StoreError } from '../../../ports/store.ts'
import { auditedBy } from '../shared/audited.ts'
import { byName } from '../shared/by-name.ts'
import { flatRow } from '../shared/stored-telemetry.ts'
import { type SharedWrites, writeNames } from '../shared/writes.ts'
import { cardReads } from './accounts/cards.ts'
import { enrolmentReads } from './accounts/enrol.ts'
import { pushReads } from './accounts/push.ts'
import { accountReads } from './accounts/read-accounts.ts'
import { smsReads } from './accounts/sms-sos.ts'
import { verificationReads } from './accounts/verify-contacts.ts'
import { fieldReads } from './devices/field-devices.ts'
import { deviceReads } from './devices/read-devices.ts'
import { silenceReads } from './devices/silence.ts'
import type { SqliteDatabase } from './engine/database.ts'
import { failureOf, failureOfKind, toStoreError } from './engine/failure.ts'
import { leaveNoTrace } from './files/leave-no-trace.ts'
import { dueReads } from './incidents/due-incidents.ts'
import { boardReads } from './incidents/read-board.ts'
import { incidentReads } from './incidents/read-incidents.ts'
import { receivedCommit } from './incidents/sent-commit.ts'
import { mailReads } from './mail/read-mail.ts'
import { watchNotices } from './notices/notices.ts'
import { onCallReads } from './operators/on-call.ts'
import { operatorPushReads } from './operators/operator-pushes.ts'
import { operatorReads } from './operators/read-operators.ts'
import { settingsReads } from './operators/settings.ts'
import { setupReads } from './operators/setup.ts'
import { shiftReads } from './operators/shifts.ts'
import { removalTextReads } from './removals/removal-texts.ts'
import { talkReads } from './talk/read-talk.ts'
import { telemetryReads } from './telemetry/read-telemetry.ts'
import { timerReads } from './timers/read-timers.ts'
import { certificateReads } from './upkeep/certificates.ts'
import { clockReads } from './upkeep/clock.ts'
import { textRowReads } from './upkeep/compact-rows.ts'
import { figuresOf } from './upkeep/figures.ts'
import type { StoreFiles } from './upkeep/store-files.ts'
import { unnamedEndReads } from './upkeep/unnamed-ends.ts'
import type { WriteQueue } from './writer/queue-on-demand.ts'

/** The store in local files. */
export type SqliteStore = Store & {
  /** The sizes of its files, computed like `figures`. */
  files(): Promise<StoreFiles>
}

/** By name only, so that a command that only reads loads none of their code. */
const writingOn = (queue: WriteQueue): SharedWrites =>
  byName<SharedWrites, (typeof writeNames)[number]>(
    writeNames,
    (name) =>
      (...args: never) =>
        queue.write(name, ...args),
  )

type Reads = Readonly<Record<string, (...args: never[]) => unknown>>
type AsyncReads<T extends Reads> = {
  readonly [N in keyof T]: (...args: Parameters<T[N]>) => Promise<Awaited<ReturnType<T[N]>>>
}

/** Reads as the port declares them: promises, with faults as StoreErrors. */
function readingOn<T extends Reads>(db: SqliteDatabase, reads: T): AsyncReads<T> {
  const reading =
    (read: (...args: never[]) => unknown) =>
    async (...args: never[]): Promise<unknown> => {
      if (!db.open) throw toStoreError(failureOfKind('closed'))
      try {
        return await read(...args)
      } catch (error) {
        const { kind, message } = failureOf(error, db)
        throw new StoreError(message, kind, { cause: error })
      }
    }
  return byName(Object.keys(reads), (name) => reading(reads[name]!))
}

/** The store that writes to `queue` and reads from `db`, which it closes. */
export function storeOn(queue: WriteQueue, db: SqliteDatabase, log: Log): SqliteStore {
  const reads = readingOn(db, {
    ...incidentReads(db),
    ...dueReads(db),
    ...boardReads(db),
    ...clockReads(db),
    ...telemetryReads(db, log),
    ...textRowReads(db),
    ...accountReads(db),
    ...cardReads(db),
    ...verificationReads(db),
    ...enrolmentReads(db),
    ...pushReads(db),
    ...removalTextReads(db),
    ...smsReads(db),
    ...deviceReads(db),
    ...fieldReads(db),
    ...silenceReads(db),
    ...mailReads(db),
    ...operatorReads(db),
    ...operatorPushReads(db),
    ...setupReads(db),
    ...onCallReads(db),
    ...shiftReads(db),
    ...settingsReads(db),
    ...unnamedEndReads(db),
    ...certificateReads(db),
    ...talkReads(db),
    ...timerReads(db),
  })
  const figures = figuresOf(db.name)
  const stopWatching = new Set<() => void>()

  return {
    ...reads,
    ...writingOn(queue),

    ensureUser: (user) => queue.write('ensureUser', user),
    changePending: (command) => queue.write('changePending', command),
    addToOutbox: (message) => queue.write('addToOutbox', message),
    audited: auditedBy((...call) => queue.write('auditedChange', ...call)),
    changeIncident: async (key, command, audit, withdrawal) =>
      receivedCommit(await queue.write('changeIncident', key, command, audit, { handedIn: bothClocks(), withdrawal })),
    appendTelemetry: (reporter, row, settle) => queue.append(flatRow(reporter, row), settle),
    isCongested: (userId) => queue.isCongested(userId),
    // Copied, because posting a slice would copy its whole underlying buffer to the writer.
    addDeadLetter: (letter) => queue.write('addDeadLetter', { ...letter, payload: new Uint8Array(letter.payload) }),

    async finishErasure(userId, since) {
      await queue.write('sweepAfterErasure', userId, since)
      return leaveNoTrace(db.name, userId)
    },
    async onNotice(listener) {
      const purge = (upTo: number): void => {
        queue
          .write('purgeNotices', upTo)
          .catch((error) => log.warn({ err: error }, 'notices that were read could not be deleted'))
      }
      const stop = watchNotices(db, { listener, purge, log })
      stopWatching.add(stop)
      return () => {
        stopWatching.delete(stop)
        stop()
      }
    },
    figures: async () => (await figures.ask()).figures,
    files: async () => (await figures.ask()).files,
    // One at a time: further callers wait for the same answer while the disk hangs.
    checkWritable: joinedCalls(() => queue.write('proveWritable')),
    planWith: (defaults) => queue.write('planWith', defaults),
    trouble: () => queue.trouble,
    async close() {
      for (const stop of stopWatching) stop()
      await figures.close()
      await queue.close()
      db.close()
    },
  }
}
