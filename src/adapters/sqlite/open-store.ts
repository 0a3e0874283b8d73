import { chownSync, existsSync, mkdirSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { positionOf } from '../../core/payload.ts'
import type { Settings } from '../../core/settings.ts'
import type { Log } from '../../ports/log.ts'
import type { Meter } from '../../ports/meter.ts'
import { type DeadLetter, type OutboxMessage, type Store, StoreError } from '../../ports/store.ts'
import { Committer, type Lane } from './committer.ts'
import { connect } from './connect.ts'
import { migrate } from './migrate.ts'
import { watchNotices } from './notices.ts'
import { readsOn } from './reads.ts'
import type { TelemetryHandedIn } from './writes/telemetry.ts'
import type { Writes } from './writes/writes.ts'

export type StoreOptions = {
  readonly dataDir: string
  /** What an application's own settings are laid over. */
  readonly defaults: Settings
  /** The command line's mode: each change leaves a notice for the running service. */
  readonly leaveNotices: boolean
  /** Below this much free space telemetry is refused, so that alerts can still be stored. */
  readonly diskReserveBytes?: number
  readonly log: Log
  readonly meter: Meter
  /** The process has to end: what is on disk is no longer known. */
  readonly onFatal?: (error: Error) => void
}

const FILE = 'tocsin.db'
const RESERVE_CHECK_MS = 1000

/** Opens the SQLite store of a data directory, made if there is none. Rejects with a sentence for the operator. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { dataDir, defaults, leaveNotices, log, meter, onFatal = exit } = options
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const file = join(dataDir, FILE)
  prepare(file)
  const committer = await Committer.start({ writer: { file, defaults, leaveNotices }, log, meter, onFatal })
  const db = connect(file, 'reader')
  handOver(dataDir)
  const reads = readsOn(db)
  const { sql } = reads
  const write = <N extends keyof Writes>(
    name: N,
    ...input: Parameters<Writes[N]>
  ): Promise<Awaited<ReturnType<Writes[N]>>> => committer.write(laneOf(name), [name, input])
  const reserve = diskReserve(dataDir, options.diskReserveBytes ?? 0)
  const found = <R, T>(row: R | undefined, meaning: (row: R) => T): T | null =>
    row === undefined ? null : meaning(row)

  return {
    changeIncident: (key, command) => write('changeIncident', key, command),
    changePending: (command) => write('changePending', command),
    incident: async (id) => reads.recordOf(sql.incident.get(id)),
    openIncident: async (userId) => reads.recordOf(sql.openIncident.get(userId)),
    history: async (userId, query) => reads.history(userId, query),
    incidents: async ({ openOnly }) =>
      (openOnly ? sql.openIncidents : sql.incidents).all(reads.mostListed).map((record) => reads.recordOf(record)!),
    async trackingLink(token) {
      const link = sql.link.get(token)
      if (link === undefined) return null
      const record = reads.recordOf(sql.incident.get(link.incident_id))
      return record && { ...record, contactId: link.contact_id }
    },
    due: async (now, limit) => sql.due.all(now, limit) as string[],
    nextActionAt: async () => sql.nextActionAt.get() as number | null,
    newestMoment: async () => sql.newest.get() as number,

    async appendTelemetry({ appId, userId }, { payload, at, receivedAt }) {
      if (reserve.isLow())
        throw new StoreError('the disk is nearly full: telemetry waits, alerts do not', 'disk_reserve')
      const reporter = { appId, userId, deviceId: payload.deviceId ?? null }
      const row: TelemetryHandedIn = {
        reporter,
        at,
        receivedAt,
        payload: JSON.stringify(payload),
        position: positionOf(payload, at),
      }
      return write('appendTelemetry', row)
    },
    telemetryHistory: async (userId, query) => reads.telemetry(userId, query),

    async admittingApplication(appId) {
      const row = sql.application.get(appId)
      return found(row, (known) => ({ application: reads.applicationOf(known), secrets: sql.secrets.all(appId) }))
    },
    stillAdmits: async ({ appId, userId, secretId }) => sql.admits.get(userId, appId, secretId) !== undefined,
    userByExternalId: async (appId, externalUserId) =>
      found(sql.userByExternal.get(appId, externalUserId), reads.userOf),
    user: async (userId) => found(sql.user.get(userId), reads.userOf),
    ensureUser: (user) => write('ensureUser', user),
    updateProfile: (userId, update, now) => write('updateProfile', userId, update, now),
    contacts: async (userId) => sql.contacts.all(userId).map(reads.contactOf),
    addContact: (userId, contact) => write('addContact', userId, contact),
    updateContact: (userId, contactId, fields, now) => write('updateContact', userId, contactId, fields, now),
    removeContact: (userId, contactId, now) => write('removeContact', userId, contactId, now),
    reorderContacts: (userId, contactIds, now) => write('reorderContacts', userId, contactIds, now),

    createApplication: (application, secret) => write('createApplication', application, secret),
    applications: async () => sql.applications.all().map(reads.applicationOf),
    application: async (appId) => found(sql.application.get(appId), reads.applicationOf),
    updateApplication: (appId, update) => write('updateApplication', appId, update),
    setActuator: (appId, type, target, settings) => write('setActuator', appId, type, target, settings),
    addSecret: (appId, secret) => write('addSecret', appId, secret),
    retireSecret: (appId) => write('retireSecret', appId),
    users: async (appId) => sql.users.all(appId).map(reads.userOf),
    setUserDisabled: (appId, externalUserId, disabled) => write('setUserDisabled', appId, externalUserId, disabled),

    addToOutbox: (message) => write('addToOutbox', message),
    outboxMessage: async (attemptId) => found(sql.outboxMessage.get(attemptId), outboxMessageOf),
    outbox: async ({ incidentId }) =>
      (incidentId === null ? sql.outbox.all() : sql.outboxOf.all(incidentId)).map(outboxMessageOf),
    addDeadLetter: (letter) => write('addDeadLetter', letter),
    deadLetters: async () => sql.deadLetters.all().map(deadLetterOf),

    onNotice: (listener) => watchNotices(sql, listener, (before) => write('forgetNotices', before), log),
    checkWritable: () => write('touch', Date.now()),
    async close() {
      await committer.close()
      db.close()
    },
  }
}

const laneOf = (name: keyof Writes): Lane => (name === 'appendTelemetry' ? 'telemetry' : 'first')

/** Makes the file and brings its schema up to date, on a connection of its own that is closed again. */
function prepare(file: string): void {
  const db = connect(file, 'writer')
  try {
    migrate(db)
  } finally {
    db.close()
  }
}

/** Run as root, the command line leaves no file that the service's own user cannot open. Decisions 6. */
function handOver(dataDir: string): void {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = statSync(dataDir)
  for (const name of [FILE, `${FILE}-wal`, `${FILE}-shm`]) {
    const path = join(dataDir, name)
    if (existsSync(path)) chownSync(path, uid, gid)
  }
}

/** Free space is asked for about once a second, not for every row. */
function diskReserve(dataDir: string, bytes: number) {
  let checkedAt = Number.NEGATIVE_INFINITY
  let low = false
  return {
    isLow(): boolean {
      if (bytes === 0) return false
      const now = performance.now()
      if (now - checkedAt > RESERVE_CHECK_MS) {
        checkedAt = now
        const { bavail, bsize } = statfsSync(dataDir)
        low = bavail * bsize < bytes
      }
      return low
    },
  }
}

const exit = (error: Error): void => {
  process.stderr.write(`tocsin: ${error.message}\n`)
  process.exit(1)
}

type OutboxRow = {
  id: number
  attempt_id: string
  incident_id: string
  contact_id: string
  channel: 'sms' | 'voice'
  recipient: string
  text: string
  created_at: number
}

const outboxMessageOf = (row: unknown): OutboxMessage => {
  const { id, attempt_id, incident_id, contact_id, channel, recipient, text, created_at } = row as OutboxRow
  return {
    id,
    attemptId: attempt_id,
    incidentId: incident_id,
    contactId: contact_id,
    channel,
    to: recipient,
    text,
    createdAt: created_at,
  }
}

type DeadLetterRow = {
  id: number
  user_id: string
  topic: string
  reason: string
  payload: Buffer
  received_at: number
}

const deadLetterOf = (row: unknown): DeadLetter => {
  const { id, user_id, topic, reason, payload, received_at } = row as DeadLetterRow
  return { id, userId: user_id, topic, reason, payload, receivedAt: received_at }
}
