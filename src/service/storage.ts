import { agreedSecrets } from '../adapters/platform/secrets/agreed-secrets.ts'
import { type SealedKeys, sealedKeys } from '../adapters/platform/secrets/sealed-keys.ts'
import { createSystemClock, machineTimeZone } from '../adapters/platform/system/clock.ts'
import { createIds } from '../adapters/platform/system/ids.ts'
import { createLog } from '../adapters/platform/system/log.ts'
import { createMeter, type SystemMeter } from '../adapters/platform/system/meter.ts'
import { memoryLimit } from '../adapters/platform/system/process-limits.ts'
import { rateLimitedLog } from '../adapters/platform/system/rate-limited-log.ts'
import { createSharedClock, type SharedClock } from '../adapters/platform/system/shared-clock.ts'
import { nodeIdentity } from '../adapters/stores/postgres/node-id.ts'
import type { Quotas } from '../adapters/stores/shared/quotas.ts'
import { holdDataDir } from '../adapters/stores/sqlite/files/hold-data-dir.ts'
import { removeUnfinished } from '../adapters/stores/sqlite/files/unfinished.ts'
import { refuseDamaged } from '../adapters/stores/sqlite/files/unusable.ts'
import { openStore } from '../adapters/stores/sqlite/open-store.ts'
import type { StoreFiles } from '../adapters/stores/sqlite/upkeep/store-files.ts'
import { createIncidentDoor, type IncidentDoor, type IncidentFeed } from '../app/incident-door.ts'
import { heardDevices, type NoteHeard } from '../app/ingest/heard-devices.ts'
import { LEASE_MS, NodeLease, settleMs } from '../app/sending/node-lease.ts'
import { timeoutsOf } from '../app/sending/text-sender.ts'
import { createTalkFeed, type TalkFeed } from '../app/talk/talk-feed.ts'
import { isCardOfOtherKey } from '../app/user/cards.ts'
import { countUnnamedEnds, type UnnamedEndCount } from '../app/user/unnamed-ends.ts'
import type { Secret } from '../config/fields.ts'
import { planSettings } from '../config/mail-server.ts'
import type { Config } from '../config.ts'
import { SECOND } from '../lib/durations.ts'
import { release } from '../lib/release.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Log } from '../ports/log.ts'
import type { NodeStore } from '../ports/node-store.ts'
import type { Secrets } from '../ports/secrets.ts'
import type { SharedKeys } from '../ports/shared-keys.ts'
import type { SharedTime } from '../ports/shared-time.ts'
import type { Store } from '../ports/store.ts'
import { memoryShares } from './budget.ts'
import type { Closers } from './closers.ts'
import { isSealedElsewhere, SiteConfig, secretsOf } from './site-config.ts'

/** Clock, log, metrics and store, which every other part uses. */
export type Basis = {
  readonly clock: Clock
  /** The same clock where nodes share it through the store, else null. */
  readonly sharedClock: Pick<SharedClock, 'concern' | 'machineLeadMs'> | null
  readonly log: Log
  readonly ids: Ids
  readonly meter: SystemMeter
  readonly machineTimeZone: () => string
  readonly store: Store
  /** The sizes of the store's files. Null if it has none here. */
  readonly files: (() => Promise<StoreFiles>) | null
  readonly door: IncidentDoor & IncidentFeed
  /** The talk during alarms. */
  readonly talk: TalkFeed
  /** Notes which paired devices were heard. */
  readonly heard: NoteHeard
  /** Counts ends that name no alarm. */
  readonly unnamedEnds: Omit<UnnamedEndCount, 'stop'>
  /** This node's right to act for the site. Null where only one process has the store. */
  readonly lease: NodeLease | null
  /** The nodes that share the store. Null with a single node. */
  readonly nodes: NodeStore | null
  /** Keys and certificates shared by all nodes. Null with a single node, which keeps them in its data directory. */
  readonly keys: SealedKeys | null
  /** Seals what the store keeps secret. */
  readonly secrets: Secrets
  /** The configuration in force. */
  readonly site: SiteConfig
}

type Given = {
  readonly clock?: Clock
  readonly log?: Log
  readonly onFatal?: (error: Error) => void
  readonly openStore?: typeof openStore
}

/**
 * The first stage: clock, log, metrics, and the store behind its write door. Takes the data directory for this process
 * alone. Rejects with a sentence for the operator where the store cannot be used.
 */
export async function openStorage(config: Config, given: Given, closers: Closers): Promise<Basis> {
  const machineClock = given.clock ?? systemClock(closers)
  const log = rateLimitedLog(given.log ?? createLog(config.log.level), () => machineClock.now())
  const meter = createMeter()
  closers.add(await holdDataDir(config.dataDir))
  const onFatal = given.onFatal ?? (() => process.exit(1))
  const { url } = config.store
  let site: SiteConfig | null = null
  const { store, files, time, lease, nodes, keys } = await (url === null
    ? openFiles(config, { log, meter, onFatal, openStore: given.openStore ?? openStore })
    : openDatabase(config, {
        url,
        clock: given.clock === undefined ? machineClock : systemClock(closers),
        now: () => site?.now ?? config,
        log,
        meter,
        onFatal,
      }))
  closers.add(() => store.close())
  if (lease !== null) {
    closers.add(() => lease.stop())
    await lease.start()
  }
  const shared = time === null || given.clock !== undefined ? null : await sharedClock(time, log, closers)
  const clock = shared ?? machineClock
  const door = createIncidentDoor({ store, log })
  const talk = createTalkFeed()
  const own = secretsOf(config)
  const isForeign = async () =>
    isSealedElsewhere(await store.siteSettings(), own) || isCardOfOtherKey(await store.anyCard(), own)
  const secrets = keys === null ? own : agreedSecrets(own, keys, isForeign)
  const other = await secrets.compareKey()
  if (other !== null) log.error({}, other)
  const live = new SiteConfig(config, { store, secrets, log })
  site = live
  await live.reread()
  const heard = heardDevices({ store, clock, log })
  const unnamedEnds = countUnnamedEnds({ store, clock, log })
  closers.add(() => Promise.all([heard.stop(), unnamedEnds.stop()]))
  return {
    clock,
    sharedClock: shared,
    log,
    ids: createIds(),
    meter,
    machineTimeZone: () => live.now.timeZone ?? machineTimeZone(),
    store,
    files,
    door,
    talk,
    heard: heard.note,
    unnamedEnds,
    lease,
    nodes,
    keys: keys && sealedKeys(keys, { secrets, log }),
    secrets,
    site: live,
  }
}

/** `time`: null if no other node shares the store. */
type Opened = Pick<Basis, 'store' | 'files' | 'lease' | 'nodes'> & {
  readonly time: SharedTime | null
  readonly keys: SharedKeys | null
}

type StoreNeeds = { readonly log: Log; readonly meter: SystemMeter; readonly onFatal: (error: Error) => void }

/** SQLite in the data directory. */
async function openFiles(
  config: Config,
  needs: StoreNeeds & { readonly openStore: typeof openStore },
): Promise<Opened> {
  const { dataDir, limits } = config
  removeUnfinished(dataDir)
  refuseDamaged(dataDir)
  const { openStore, ...others } = needs
  const store = await openStore({
    dataDir,
    defaults: planSettings(config),
    leaveNotices: false,
    backgroundCheckpoints: true,
    quotas: quotasOf(limits),
    diskReserveBytes: diskReserveBytes(limits),
    maxWaitingBytes: memoryShares(memoryLimit(), limits).waitingBytes,
    ...others,
  })
  return { store, files: store.files, time: null, lease: null, nodes: null, keys: null }
}

/**
 * PostgreSQL, whose driver is only loaded where it is used. `clock`: always a real one, even in tests: the database's
 * own clock runs on.
 */
async function openDatabase(
  config: Config,
  {
    url,
    clock,
    now,
    log,
    meter,
    onFatal,
  }: StoreNeeds & { readonly url: Secret; readonly clock: Clock; readonly now: () => Config },
): Promise<Opened> {
  const {
    dataDir,
    limits,
    node,
    store: { notify },
  } = config
  const { openPostgres } = await import('../adapters/stores/postgres/open-store.ts')
  const identity = { ...nodeIdentity(dataDir, node.id), version: release.version }
  const store = await openPostgres({
    url: url.reveal(),
    defaults: planSettings(config),
    leaveNotices: false,
    node: identity.id,
    quotas: quotasOf(limits),
    maxWaitingBytes: memoryShares(memoryLimit(), limits).waitingBytes,
    notify,
    log,
    meter,
  })
  let longestMs = 0
  const lease = new NodeLease({
    store: store.nodes,
    identity,
    lengthMs: LEASE_MS,
    // Providers may be added while it runs; messages of longer chains may still be under way.
    get settleMs() {
      longestMs = Math.max(longestMs, settleMs(timeoutsIn(now())))
      return longestMs
    },
    clocks: { monotonic: () => performance.now(), wall: () => Date.now() },
    clock,
    log,
    meter,
    onFatal,
  })
  return { store, files: null, time: store.time, lease, nodes: store.nodes, keys: store }
}

/** How many times the time of one provider those of a configuration take in sequence. */
const timeoutsIn = ({ notifications, modem }: Config): number =>
  notifications.providers
    .map((name) => timeoutsOf(name === 'modem' ? modem.timeoutSeconds * SECOND : undefined))
    .reduce((sum, one) => sum + one, 0)

const KB = 1024
const MB = 1024 * KB

export const diskReserveBytes = ({ diskReserveMb }: Pick<Config['limits'], 'diskReserveMb'>): number =>
  diskReserveMb * MB

const quotasOf = (limits: Config['limits']): Quotas => ({
  telemetryBytes: limits.telemetryMbPerUser * MB,
  deadLetterBytes: limits.deadLetterKbPerUser * KB,
  feedbackRows: limits.feedbackPerUser,
  incidents: limits.incidentsPerUser,
})

function systemClock(closers: Closers): Clock {
  const clock = createSystemClock()
  closers.add(() => clock.stop())
  return clock
}

async function sharedClock(time: SharedTime, log: Log, closers: Closers): Promise<SharedClock> {
  const clock = await createSharedClock({ time, log })
  closers.add(() => clock.stop())
  return clock
}
