import type { Broker } from '../adapters/inbound/broker/broker.ts'
import type { UserStreams } from '../adapters/inbound/http/sdk/user-streams.ts'
import type { SystemMeter } from '../adapters/platform/system/meter.ts'
import type { SharedClock } from '../adapters/platform/system/shared-clock.ts'
import type { TlsIdentity } from '../adapters/platform/tls/identity.ts'
import type { StoreFiles } from '../adapters/stores/sqlite/upkeep/store-files.ts'
import type { NodeLease } from '../app/sending/node-lease.ts'
import type { NightlyBackups } from '../app/upkeep/nightly-backup.ts'
import type { Canary } from '../app/watch/canary.ts'
import { SECOND } from '../lib/durations.ts'
import { release } from '../lib/release.ts'
import type { StoreFigures, Upkeep } from '../ports/store.ts'
import type { LiveText } from './live-text.ts'
import type { Modem } from './modem.ts'
import type { TextProviders } from './text-providers.ts'

type GaugeSources = {
  readonly store: Pick<Upkeep, 'figures' | 'server'>
  /** Null: the store keeps no files here. */
  readonly files: (() => Promise<StoreFiles>) | null
  /** Null: the clock of this machine is the only one. */
  readonly sharedClock: Pick<SharedClock, 'machineLeadMs'> | null
  readonly broker: Pick<Broker, 'connectionsByWay'>
  readonly streams: Pick<UserStreams, 'size'>
  readonly text: Pick<TextProviders, 'waiting' | 'longestWaitMs' | 'modem'> & Partial<Pick<LiveText, 'onReplaced'>>
  readonly tls: Pick<TlsIdentity, 'info'> | null
  /** As `/readyz` has it. */
  readonly readiness: () => Promise<readonly string[]>
  /** Milliseconds by which the most overdue incident waits. */
  readonly overdueMs: () => Promise<number>
  /** Milliseconds by which the oldest timer that could not be raised is late. */
  readonly timerOverdueMs: () => number
  /** As of the last look. */
  readonly silentDevices: () => number
  /** As of the last survey. */
  readonly usersByReadiness: () => Readonly<Record<string, number>>
  /** By kind, 1 or 0. */
  readonly onCallFindings: () => Readonly<Record<string, number>>
  /** Since this node last read the notices of the others. */
  readonly noticesAgeMs: () => number
  /** Null where only one process has the store. */
  readonly lease: Pick<NodeLease, 'ageMs'> | null
  /** Null if it is off. */
  readonly canary: Pick<Canary, 'ageMs' | 'failuresInARow'> | null
  /** Null if they are off. */
  readonly backups: Pick<NightlyBackups, 'state'> | null
  readonly diskReserveBytes: number
  /** The memory limit of this process. */
  readonly memoryBytes: number
  readonly isDateBelieved: () => boolean
}

/**
 * The gauges of `/metrics`, beside its counters. Each is read at every scrape, so none may take the event loop's time:
 * the store counts, and asks the disk, on its own side.
 */
export function showGauges(meter: SystemMeter, sources: GaugeSources): void {
  const {
    store,
    files,
    sharedClock,
    broker,
    streams,
    text,
    tls,
    readiness,
    overdueMs,
    timerOverdueMs,
    silentDevices,
    usersByReadiness,
    onCallFindings,
    noticesAgeMs,
    lease,
    diskReserveBytes,
    memoryBytes,
    isDateBelieved,
  } = sources
  const ofStore = (read: (figures: StoreFigures) => number | Record<string, number>) => async () =>
    read(await store.figures())
  const ofChannels = (read: (channel: 'sms' | 'voice') => number) => () => ({ sms: read('sms'), voice: read('voice') })
  const { gauge } = meter

  gauge({
    name: 'info',
    help: 'Always 1; the version that is running',
    label: 'version',
    read: () => ({ [release.version]: 1 }),
  })
  gauge({
    name: 'ready',
    help: '1 when /readyz would answer 200, else 0',
    read: async () => ((await readiness().catch(() => null))?.length === 0 ? 1 : 0),
  })
  gauge({
    name: 'clock_believed',
    help: '0 when the clock is not trusted and nothing is deleted: see tocsin clock',
    read: () => (isDateBelieved() ? 1 : 0),
  })
  gauge({
    name: 'memory_limit_bytes',
    help: 'Memory that this process may use: compare with process_resident_memory_bytes',
    read: () => memoryBytes,
  })
  gauge({
    name: 'mqtt_connections',
    help: 'Connected MQTT clients, by transport',
    label: 'listener',
    read: () => broker.connectionsByWay(),
  })
  gauge({
    name: 'event_streams',
    help: 'Open streams of GET /v1/sdk/events',
    read: () => streams.size,
  })
  gauge({
    name: 'open_incidents',
    help: 'Open incidents, by status',
    label: 'status',
    read: ofStore(({ openIncidents }) => openIncidents),
  })
  gauge({
    name: 'held_incidents',
    help: 'Open incidents from a restored file that wait for tocsin incident resume',
    read: ofStore(({ heldIncidents }) => heldIncidents),
  })
  gauge({
    name: 'users_by_readiness',
    help: 'Users by whether help would reach them, as of the last hourly count',
    label: 'status',
    read: usersByReadiness,
  })
  gauge({
    name: 'on_call_finding',
    help: '1 where something is wrong with the on-call list, else 0, by kind',
    label: 'finding',
    read: onCallFindings,
  })
  gauge({
    name: 'overdue_seconds',
    help: 'How late the most overdue attempt is; 0 when nothing is overdue',
    read: async () => (await overdueMs()) / SECOND,
  })
  gauge({
    name: 'timer_overdue_seconds',
    help: 'How late the oldest overdue timer is whose SOS could not be raised; 0 when there is none',
    read: () => timerOverdueMs() / SECOND,
  })
  gauge({
    name: 'devices_silent',
    help: 'Devices silent for longer than their limit, as of the last check',
    read: silentDevices,
  })
  gauge({
    name: 'notices_age_seconds',
    help: 'How long ago this node last read what other nodes did; 0 on SQLite',
    read: () => noticesAgeMs() / SECOND,
  })
  gauge({
    name: 'lease_age_seconds',
    help: 'How long ago this node last renewed its right to send; 0 where it needs none',
    read: () => (lease?.ageMs ?? 0) / SECOND,
  })
  gauge({
    name: 'queue_length',
    help: 'Messages waiting for their turn at a rate-limited provider',
    label: 'channel',
    read: ofChannels((channel) => text.waiting(channel)),
  })
  gauge({
    name: 'queue_oldest_seconds',
    help: 'How long the first of them has been waiting; 0 when none is',
    label: 'channel',
    read: ofChannels((channel) => text.longestWaitMs(channel) / SECOND),
  })
  gauge({
    name: 'dead_letters_kept',
    help: 'Publishes kept as dead letters: see tocsin dead-letter list',
    read: ofStore(({ deadLetters }) => deadLetters),
  })
  if (sharedClock !== null) {
    gauge({
      name: 'clock_offset_seconds',
      help: "How far the clock of this machine is ahead of the database's, whose time counts",
      read: () => sharedClock.machineLeadMs() / SECOND,
    })
  }
  const { server } = store
  if (server !== undefined) {
    gauge({
      name: 'synchronous_standbys',
      help: 'Standbys of the database server that have every commit before it is acknowledged',
      read: () => server.synchronousStandbys() ?? 0,
    })
  }
  if (files !== null) showFiles(meter, { files, diskReserveBytes })
  let hasModem = false
  const showFirstModem = () => {
    if (hasModem || text.modem === null) return
    hasModem = true
    showModem(meter, () => text.modem)
  }
  showFirstModem()
  text.onReplaced?.(showFirstModem)
  if (sources.backups !== null) showBackups(meter, sources.backups)
  if (sources.canary !== null) showCanary(meter, sources.canary)
  if (tls === null) return
  gauge({
    name: 'certificate_expiry_timestamp_seconds',
    help: 'When the certificate expires: of the server and, if Tocsin made it, of the local CA',
    label: 'certificate',
    read() {
      const { validTo, ca } = tls.info()
      const server = Date.parse(validTo) / SECOND
      return ca === null ? { server } : { server, ca: Date.parse(ca.validTo) / SECOND }
    },
  })
}

/** The sizes of the files of a store that has them. */
function showFiles(
  { gauge }: SystemMeter,
  { files, diskReserveBytes }: { readonly files: () => Promise<StoreFiles>; readonly diskReserveBytes: number },
): void {
  const ofFiles = (read: (sizes: StoreFiles) => number | Record<string, number>) => async () => read(await files())
  gauge({
    name: 'store_bytes',
    help: 'Size of the database and of its log (WAL)',
    label: 'file',
    read: ofFiles(({ databaseBytes, logBytes }) => ({ db: databaseBytes, wal: logBytes })),
  })
  gauge({
    name: 'disk_free_bytes',
    help: 'Free space on the disk of the data directory',
    read: ofFiles(({ freeBytes }) => freeBytes),
  })
  gauge({
    name: 'disk_reserve_bytes',
    help: 'limits.diskReserveMb: disk space to be set aside for alarms',
    read: () => diskReserveBytes,
  })
  gauge({
    name: 'disk_reserve_held_bytes',
    help: 'Disk space set aside for alarms; less while an alarm needs it or the disk is full',
    read: ofFiles(({ reserveBytes }) => reserveBytes),
  })
}

/** Only if the modem is a provider; absent after it was removed. */
function showModem({ gauge }: SystemMeter, modem: () => Modem | null): void {
  const state = () => {
    const now = modem()
    if (now === null) throw new Error('there is no modem')
    return now.state
  }
  gauge({
    name: 'modem_ready',
    help: '1 while texts can leave through the SMS modem, else 0',
    read: () => (state().trouble() === null ? 1 : 0),
  })
  gauge({
    name: 'modem_queue_length',
    help: 'SMS that gammu-smsd has not finished with',
    read: () => state().queued,
  })
  gauge({
    name: 'modem_signal_ratio',
    help: 'Signal of the SMS modem, 0 to 1; none if unknown',
    label: 'modem',
    read: (): Record<string, number> => {
      const signal = state().report?.signal ?? null
      return signal === null ? {} : { gammu: signal / 100 }
    },
  })
}

function showBackups({ gauge }: SystemMeter, backups: NonNullable<GaugeSources['backups']>): void {
  gauge({
    name: 'backup_last_success_timestamp_seconds',
    help: 'When the newest encrypted backup was made; 0 if none is known',
    read: () => (backups.state().last?.at ?? 0) / SECOND,
  })
  gauge({
    name: 'backup_bytes',
    help: 'Size of the newest encrypted backup; 0 if none is known',
    read: () => backups.state().last?.bytes ?? 0,
  })
}

function showCanary({ gauge }: SystemMeter, canary: NonNullable<GaugeSources['canary']>): void {
  gauge({
    name: 'canary_age_seconds',
    help: 'How long ago the synthetic SOS last got through; since the start, before the first',
    read: () => canary.ageMs() / SECOND,
  })
  gauge({
    name: 'canary_failures_in_a_row',
    help: 'How often the synthetic SOS has failed since it last got through',
    read: () => canary.failuresInARow(),
  })
}
