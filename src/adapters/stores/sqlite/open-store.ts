import type { Settings } from '../../../core/incident/settings.ts'
import type { Log } from '../../../ports/log.ts'
import type { Meter } from '../../../ports/meter.ts'
import { type Store, StoreError } from '../../../ports/store.ts'
import { accountReads } from './accounts/read-accounts.ts'
import { deviceReads } from './devices/read-devices.ts'
import { CommitQueue } from './engine/commit-queue.ts'
import { type Connection, openReader } from './engine/connection.ts'
import { failureOf, failureOfKind, toStoreError } from './engine/failure.ts'
import { clockReads } from './engine/keep-clock.ts'
import { prepareFile } from './files/data-dir.ts'
import { figuresOf } from './files/figures.ts'
import { leaveNoTrace } from './files/leave-no-trace.ts'
import { watchNotices } from './incidents/notices.ts'
import { incidentReads } from './incidents/read-incidents.ts'
import { mailReads } from './mail/read-mail.ts'
import { flatRow } from './telemetry/append-telemetry.ts'
import { type Quotas, UNLIMITED } from './telemetry/quota.ts'
import { telemetryReads } from './telemetry/read-telemetry.ts'

export type StoreOptions = {
  /** Made if it is missing. The database is `tocsin.db` in it. */
  readonly dataDir: string
  /** What an application's own settings are merged over. */
  readonly defaults: Settings
  /** For every process that is not the service: each change leaves a notice for the service in the same transaction. */
  readonly leaveNotices: boolean
  /** How much space is set aside on the disk for alarms. 0: none. Null (the default): the service, another process, sees to it. */
  readonly diskReserveBytes?: number | null
  /** What one user may have kept; without them as much as there is. */
  readonly quotas?: Quotas
  /** What may wait for the disk in memory before telemetry is refused. */
  readonly maxWaitingBytes?: number
  readonly log: Log
  readonly meter: Meter
  /** Called once when the disk can no longer be trusted: the process has to end, with a code that is not 0, which is the default. */
  readonly onFatal?: (error: Error) => void
}

/**
 * Opens the SQLite store: the file is made, migrated and made private as needed. Rejects with a sentence for the operator where it cannot be
 * used. Writes go to a thread of their own and are committed in groups; reads are answered from this thread.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { dataDir, defaults, leaveNotices, quotas = UNLIMITED, diskReserveBytes = null, log, meter } = options
  const { onFatal = () => process.exit(1), maxWaitingBytes } = options
  const path = prepareFile(dataDir, 'tocsin.db')
  const queue = await CommitQueue.open(
    { path, defaults, leaveNotices, quotas, diskReserveBytes },
    { log, meter, onFatal, ...(maxWaitingBytes !== undefined && { maxWaitingBytes }) },
  )
  try {
    return storeOn(queue, openReader(path), log)
  } catch (error) {
    await queue.close()
    throw error
  }
}

function storeOn(queue: CommitQueue, db: Connection, log: Log): Store {
  const incidents = incidentReads(db)
  const moments = clockReads(db)
  const telemetry = telemetryReads(db)
  const accounts = accountReads(db)
  const devices = deviceReads(db)
  const mail = mailReads(db)
  const figures = figuresOf(db.name)
  const stopWatching = new Set<() => void>()
  let proving: Promise<void> | null = null

  /** A read as the port has it: a promise, with faults as StoreErrors. */
  const reading =
    <A extends readonly unknown[], R>(read: (...args: A) => R | Promise<R>) =>
    async (...args: A): Promise<R> => {
      if (!db.open) throw toStoreError(failureOfKind('closed'))
      try {
        return await read(...args)
      } catch (error) {
        const { kind, message } = failureOf(error, db)
        throw new StoreError(message, kind, { cause: error })
      }
    }

  return {
    changeIncident: (key, command) => queue.write('changeIncident', command.now, key, command),
    changePending: (command) => queue.write('changePending', command.now, command),
    incident: reading(incidents.incident),
    attempt: reading(incidents.attempt),
    attempts: reading(incidents.attempts),
    openIncident: reading(incidents.openIncident),
    latestIncident: reading(incidents.latestIncident),
    history: reading(incidents.history),
    incidentIds: reading(incidents.incidentIds),
    positionTrail: reading(incidents.positionTrail),
    incidents: reading(incidents.incidents),
    trackingLink: reading(incidents.trackingLink),
    due: reading(incidents.due),
    nextActionAt: reading(incidents.nextActionAt),
    callRefs: reading(incidents.callRefs),
    newestMoment: reading(moments.newestMoment),
    clockRecord: reading(moments.clockRecord),
    keepClock: (now, doubt) => queue.write('keepClock', now, now, doubt),
    acceptClock: (now) => queue.write('acceptClock', 0, now),

    async appendTelemetry(reporter, row, { isHeldBack } = { isHeldBack: true }) {
      if (!isHeldBack && queue.isCongested(reporter.userId)) throw toStoreError(failureOfKind('overloaded'))
      return queue.write('appendTelemetry', row.receivedAt, ...flatRow(reporter, row))
    },
    isCongested: (userId) => queue.isCongested(userId),
    telemetryHistory: reading(telemetry.telemetryHistory),

    admittingApplication: reading(accounts.admittingApplication),
    stillAdmits: reading(accounts.stillAdmits),
    userByExternalId: reading(accounts.userByExternalId),
    user: reading(accounts.user),
    ensureUser: (user) => queue.write('ensureUser', user.now, user),
    updateProfile: (userId, update, now) => queue.write('updateProfile', now, userId, update, now),
    contacts: reading(accounts.contacts),
    addContact: (userId, contact) => queue.write('addContact', contact.now, userId, contact),
    updateContact: (userId, contactId, fields, now) =>
      queue.write('updateContact', now, userId, contactId, fields, now),
    removeContact: (userId, contactId, now) => queue.write('removeContact', now, userId, contactId, now),
    reorderContacts: (userId, contactIds, now) => queue.write('reorderContacts', now, userId, contactIds, now),

    devices: reading(devices.devices),
    beginPairing: (appId, hardwareId, now) => queue.write('beginPairing', now, appId, hardwareId, now),
    pair: (device) => queue.write('pair', device.now, device),
    unpair: (userId, deviceId) => queue.write('unpair', 0, userId, deviceId),
    registerHardware: (appId, hardware, now) => queue.write('registerHardware', now, appId, hardware, now),
    registeredHardware: reading(devices.registeredHardware),
    unpairHardware: (appId, hardwareId) => queue.write('unpairHardware', 0, appId, hardwareId),
    feedback: reading(devices.feedback),
    addFeedback: (feedback) => queue.write('addFeedback', feedback.createdAt, feedback),

    createApplication: (application, secret) =>
      queue.write('createApplication', application.createdAt, application, secret),
    applications: reading(accounts.applications),
    application: reading(accounts.application),
    setText: (appId, language, key, text) => queue.write('setText', 0, appId, language, key, text),
    updateApplication: (appId, update) => queue.write('updateApplication', 0, appId, update),
    setActuator: (appId, type, target, settings) => queue.write('setActuator', 0, appId, type, target, settings),
    addSecret: (appId, secret, now) => queue.write('addSecret', now, appId, secret, now),
    retireSecret: (appId) => queue.write('retireSecret', 0, appId),
    users: reading(accounts.users),
    setUserDisabled: (appId, externalUserId, disabled) =>
      queue.write('setUserDisabled', 0, appId, externalUserId, disabled),
    eraseUser: (appId, externalUserId, max) => queue.write('eraseUser', 0, appId, externalUserId, max),
    sweepAfterErasure: (userId, since) => queue.write('sweepAfterErasure', 0, userId, since),

    addToOutbox: (message) => queue.write('addToOutbox', message.createdAt, message),
    outboxMessage: reading(mail.outboxMessage),
    outbox: reading(mail.outbox),
    // Copied, because a slice of a large buffer would cross to the writer together with all of it.
    addDeadLetter: (letter) =>
      queue.write('addDeadLetter', letter.receivedAt, { ...letter, payload: new Uint8Array(letter.payload) }),
    deadLetters: reading(mail.deadLetters),

    onNotice(listener) {
      const purge = (upTo: number): void => {
        queue
          .write('purgeNotices', 0, upTo)
          .catch((error) => log.warn({ err: error }, 'could not delete notices that were already read'))
      }
      const stop = watchNotices(db, { listener, purge, log })
      stopWatching.add(stop)
      return () => {
        stopWatching.delete(stop)
        stop()
      }
    },
    deleteExpired: (kind, expired) => queue.write('deleteExpired', 0, kind, expired),
    leaveNoTrace: (text) => leaveNoTrace(db.name, text),
    figures: reading(figures.ask),
    checkWritable() {
      // One at a time: whoever asks while the disk hangs waits for the same answer.
      proving ??= queue.write('proveWritable', 0).finally(() => {
        proving = null
      })
      return proving
    },
    logTrouble: () => queue.logTrouble,
    async close() {
      for (const stop of stopWatching) stop()
      await figures.close()
      await queue.close()
      db.close()
    },
  }
}
