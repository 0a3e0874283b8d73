import { isoAt } from '../../core/ingest/event-time.ts'
import { SECOND } from '../../lib/durations.ts'
import { attention, failing, fine, type ProbeFinding } from './finding.ts'

/** A listener of the configuration. `holder`: the process that listens there, as far as this user may see. */
type PortFacts = {
  readonly name: string
  readonly address: string
  readonly holder: 'service' | 'nobody' | 'unknown' | { readonly pid: number; readonly program: string }
}

/** `serviceRuns`: whether the service holds the data directory. */
export function judgePorts({
  ports,
  serviceRuns,
}: {
  readonly ports: readonly PortFacts[]
  readonly serviceRuns: boolean
}): readonly ProbeFinding[] {
  if (ports.length === 0) return [failing('every listener is off', 'set a port for mqtts or https')]
  const listening = ports.filter(({ holder }) => holder === 'service')
  const others = ports.flatMap(({ name, address, holder }): readonly ProbeFinding[] => {
    if (holder === 'service') return []
    const remedy = `stop that program, or set ${name}.port to another port`
    if (holder === 'nobody') {
      if (!serviceRuns) return [fine(`${name} ${address} is free`)]
      return [failing(`nothing listens at ${address} (${name})`, 'restart the service: sudo systemctl restart tocsin')]
    }
    if (holder !== 'unknown') {
      return [failing(`${address} (${name}) is taken by ${holder.program}, process ${holder.pid}`, remedy)]
    }
    if (serviceRuns) return [fine(`${name} ${address} is listening; only root sees by which process`)]
    return [failing(`${address} (${name}) is taken by a program that only root can name`, remedy)]
  })
  if (listening.length === 0) return others
  return [fine(listening.map(({ name, address }) => `${name} ${address}`).join(', ')), ...others]
}

/** Compared with the clock of the database, whose time counts. */
const MACHINE_OFF_MS = 2 * SECOND

export function judgeClock({
  now,
  isBelieved,
  isSynchronised,
  aheadMs,
}: {
  readonly now: number
  /** Null: unknown. */
  readonly isBelieved: boolean | null
  readonly isSynchronised: boolean
  /** How far this machine's clock is ahead of the database's. Null where there is no other clock. */
  readonly aheadMs: number | null
}): readonly ProbeFinding[] {
  const off = aheadMs === null ? 0 : Math.round(aheadMs / SECOND)
  const found = [
    ...(isBelieved === false
      ? [attention(`the service does not trust the clock, which shows ${isoAt(now)}`, 'see: sudo tocsin clock')]
      : []),
    ...(aheadMs !== null && Math.abs(aheadMs) > MACHINE_OFF_MS
      ? [
          attention(
            `the clock of this machine is ${Math.abs(off)} s ${off > 0 ? 'ahead of' : 'behind'} the database's`,
            'synchronise both with NTP (docs/several-nodes.md, Clocks)',
          ),
        ]
      : []),
    ...(isSynchronised
      ? []
      : [
          attention(
            'the system does not report that its clock is synchronised',
            'sudo timedatectl set-ntp true; in a container, the clock of its host counts',
          ),
        ]),
  ]
  return found.length > 0 ? found : [fine(`${isoAt(now)}, synchronised`)]
}

const MB = 1024 * 1024
/** As TocsinDiskLow and TocsinDiskFull in docs/alert-rules.yml. */
const LOW_BYTES = 1e9
const FULL_SHARE = 0.5
/** An SSD needs a few milliseconds, a good SD card thirty. Every acknowledged alert waits for one. */
const SLOW_SYNC_MS = 200

const megabytes = (bytes: number): string => `${Math.round(bytes / MB).toLocaleString('en')} MB`

export function judgeDisk({
  directory,
  freeBytes,
  syncMs,
  reserve,
}: {
  readonly directory: string
  readonly freeBytes: number
  /** The median time of an fsync. Null: not measured. */
  readonly syncMs: number | null
  /** Space set aside for alarms. Null: there is none here, or the service has not run yet. */
  readonly reserve: { readonly wantedBytes: number; readonly heldBytes: number } | null
}): readonly ProbeFinding[] {
  const free = `${megabytes(freeBytes)} free in ${directory}`
  const isFull = reserve !== null && freeBytes < FULL_SHARE * reserve.wantedBytes
  const space = 'free up space, shorten retention.*, or move the data directory to a larger disk'
  return [
    ...(isFull ? [failing(`the disk is full: ${free}`, space)] : []),
    ...(!isFull && freeBytes < LOW_BYTES ? [attention(`the disk is nearly full: ${free}`, space)] : []),
    ...(reserve !== null && reserve.heldBytes < reserve.wantedBytes
      ? [
          attention(
            `only ${megabytes(reserve.heldBytes)} of the ${megabytes(reserve.wantedBytes)} for alarms are set aside`,
            space,
          ),
        ]
      : []),
    ...(syncMs !== null && syncMs > SLOW_SYNC_MS
      ? [
          attention(
            `the disk is slow: one fsync takes ${Math.round(syncMs)} ms, and every alert waits for one`,
            'look for another program that writes a lot, a worn SD card or a failing disk: iostat -x 1, dmesg',
          ),
        ]
      : []),
    ...(isFull || freeBytes < LOW_BYTES
      ? []
      : [fine(syncMs === null ? free : `${free}, fsync ${syncMs.toFixed(1)} ms`)]),
  ]
}

/** Even a small site needs this many when its phones reconnect after an outage. */
const FEW_CONNECTIONS = 1000
/** As TocsinMemoryTight. */
const TIGHT_SHARE = 0.85

export function judgeMemory({
  limitBytes,
  usedBytes,
  mqttConnections,
  httpConnections,
  boundBy,
  isOfService,
}: {
  readonly limitBytes: number
  /** Null: unknown. */
  readonly usedBytes: number | null
  readonly mqttConnections: number
  readonly httpConnections: number
  readonly boundBy: 'descriptors' | 'memory'
  /** False: the limits of this process, while the service cannot be asked for its own. */
  readonly isOfService: boolean
}): readonly ProbeFinding[] {
  const used = usedBytes === null ? '' : `, ${megabytes(usedBytes)} used`
  const connections = `${mqttConnections.toLocaleString('en')} MQTT and ${httpConnections.toLocaleString('en')} HTTP connections`
  const whose = isOfService ? '' : ' by the limits of this shell; the service may have others'
  const says = `${megabytes(limitBytes)}${used}; room for ${connections}${whose}`
  const remedy = {
    memory: 'give the service more memory (MemoryMax, or the machine): docs/operating.md, Memory',
    descriptors: 'raise the limit of open files: LimitNOFILE with sudo systemctl edit tocsin, or ulimit -n',
  } as const
  return [
    mqttConnections < FEW_CONNECTIONS ? attention(says, remedy[boundBy]) : fine(says),
    ...(usedBytes !== null && usedBytes > TIGHT_SHARE * limitBytes
      ? [attention('almost all of the memory is used; beyond it the system kills the service', remedy.memory)]
      : []),
  ]
}
