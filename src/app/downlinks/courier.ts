import type { Downlink, DownlinkKind, DownlinkRoute, DownlinkStep } from '../../core/incident/downlink.ts'
import { DISTANCE_MS, downlinkMoment, EMPTYING_MS, isDownlinkDue } from '../../core/incident/downlinks.ts'
import { isOpen } from '../../core/incident/incident.ts'
import { BoundedMap } from '../../lib/bounded-map.ts'
import { HOUR, MINUTE, SECOND } from '../../lib/durations.ts'
import { interruptibleWait, nextTurn } from '../../lib/waits.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Committed, IncidentStore } from '../../ports/store.ts'
import type { IncidentDoor, IncidentFeed } from '../incident-door.ts'
import { atNetworkServer, type HandOverNeeds } from './hand-over.ts'
import { canWithdraw, leftDownlinks } from './left-downlinks.ts'
import { type DownlinkReceipt, downlinkReceipts } from './receipts.ts'
import { serverLanes } from './server-lanes.ts'

/** The most incidents of the whole site whose trackers are messaged at once. */
const MAX_WATCHED = 1000
/** While alarms are late, a message checks again this often, less often the more messages there are, … */
const YIELD_MS = SECOND
const LOOKS_A_SECOND = 50
/** … but not for ever: an alarm that cannot be sent at all must not hold it back. */
const PATIENCE_MS = 30 * SECOND
const RETRY_MS = 5 * SECOND
/** Bounds the delay if a change of the incident, or of its deadlines, was missed. */
const LOOK_AGAIN_MS = MINUTE
/** Tries to withdraw messages, with growing waits: over twenty minutes. */
const MAX_FLUSHES = 5
const FLUSH_FACTOR = 6

type CourierNeeds = Omit<HandOverNeeds, 'step'> & {
  readonly store: Pick<IncidentStore, 'incident' | 'incidents'>
  readonly door: Pick<IncidentDoor, 'change'> & Pick<IncidentFeed, 'follow'>
  /** Whether no attempt of any incident is late. */
  readonly isQuiet: () => Promise<boolean>
  readonly clock: Clock
}

/**
 * `at`: the next check, epoch ms. `rows`: as of the last check. `flushes`: tries to withdraw; `flushAt`: the next one.
 */
type Watched = { at: number; route: DownlinkRoute | null; rows: readonly Downlink[]; flushes: number; flushAt: number }

export type DownlinkCourier = {
  /** Begins, with whatever the last process left. */
  start(): void
  /** The network servers have changed: what waited for one of them is tried again. */
  lookAgain(): void
  /** Whether this network server accepts messages for trackers. */
  reaches(server: string): boolean
  /** Takes a network server's report on a message. False for messages that are not ours, or no longer of interest. */
  heard(receipt: DownlinkReceipt): Promise<boolean>
  /** The number of incidents whose trackers are being messaged. */
  waiting(): number
  /** Resolves once nothing is being handed over. */
  stop(): Promise<void>
}

/**
 * Tells trackers that their SOS was received, and that help is coming: one message at a time to each network server,
 * after the alarms that are due. Every step goes through the write door, so that a message leaves once however many
 * nodes there are, and a restart resumes. devices.md#downlinks.
 */
export function createDownlinkCourier(needs: CourierNeeds): DownlinkCourier {
  const { store, door, senders, isQuiet, clock, log, meter } = needs
  const watched = new Map<string, Watched>()
  /** The open incident of a tracker. */
  const byDevice = new Map<string, string>()
  /**
   * When each tracker last got a message, across incidents. Within an incident, the incident itself keeps the distance.
   */
  const toldAt = new BoundedMap<string, number>(MAX_WATCHED)
  const lanes = serverLanes()
  const underWay = new Set<Promise<void>>()
  const { wait, interrupt } = interruptibleWait(clock)
  let isStopped = true
  let isAwake = false
  let run: Promise<void> | null = null

  const step = (incidentId: string, kind: DownlinkKind, what: DownlinkStep): Promise<Committed> =>
    door.change({ incidentId }, { type: 'downlink', now: clock.now(), kind, step: what })
  const { handOver, takeBack } = atNetworkServer({ ...needs, step })
  const receipts = downlinkReceipts({
    store,
    step,
    meter,
    toldTo: (receipt) => {
      const incidentId = byDevice.get(deviceOf(receipt))
      const told = incidentId === undefined ? undefined : watched.get(incidentId)
      return incidentId === undefined || told === undefined ? null : [incidentId, told]
    },
  })
  /** One answer serves all messages that ask at about the same time. */
  let quiet = { at: Number.NEGATIVE_INFINITY, isSo: true }

  const wake = (): void => {
    isAwake = true
    interrupt()
  }

  const watch = (incidentId: string): void => {
    const known = watched.get(incidentId)
    if (known !== undefined) known.at = clock.now()
    else if (watched.size < MAX_WATCHED) {
      watched.set(incidentId, { at: clock.now(), route: null, rows: [], flushes: 0, flushAt: 0 })
    } else {
      meter.count('lorawan_downlinks_total', { result: 'dropped' })
      log.warn({ incidentId }, 'too many trackers wait for a downlink; this one is not told', 'full')
      return
    }
    wake()
  }

  const forget = (incidentId: string): void => {
    const route = watched.get(incidentId)?.route
    if (route != null && byDevice.get(deviceOf(route)) === incidentId) byDevice.delete(deviceOf(route))
    watched.delete(incidentId)
  }

  door.follow(({ incidentId, events }) => {
    if (incidentId === null) return
    const isWaiting = events.some(({ message }) =>
      message.actuators?.items.some(
        ({ type, channels }) => type === 'downlink' && channels?.some(({ status }) => status === 'scheduled'),
      ),
    )
    if (isWaiting || watched.has(incidentId)) watch(incidentId)
  })

  clock.onShift((byMs) => {
    for (const [device, at] of [...toldAt]) toldAt.set(device, at + byMs)
    // The deadlines in the store move a moment later.
    for (const entry of watched.values()) {
      entry.at = clock.now() + RETRY_MS
      entry.flushAt += byMs
    }
    wake()
  })

  const lookBy = (incidentId: string, at: number): void => {
    const entry = watched.get(incidentId)
    if (entry !== undefined) entry.at = Math.min(entry.at, at)
  }

  /**
   * Runs `job` at the network server; its result is the delay in ms until the incident is checked again. If the server
   * is busy, queues the incident there. Returns when to check again before that.
   */
  const inLane = (incidentId: string, { server }: DownlinkRoute, job: () => Promise<number>): number => {
    if (!lanes.take(server, incidentId)) return clock.now() + DISTANCE_MS
    const work = job()
      .catch((error) => {
        log.warn({ incidentId, err: error }, 'a message to a tracker could not be recorded')
        return RETRY_MS
      })
      .then((afterMs) => {
        underWay.delete(work)
        lookBy(incidentId, clock.now() + afterMs)
        for (const next of lanes.free(server)) lookBy(next, clock.now())
        wake()
      })
    underWay.add(work)
    return Number.POSITIVE_INFINITY
  }

  const isQuietNow = async (): Promise<boolean> => {
    const now = clock.now()
    if (Math.abs(now - quiet.at) >= YIELD_MS) quiet = { at: now, isSo: await isQuiet() }
    return quiet.isSo
  }

  /** Hands the message over as soon as it may leave. Returns when to check again. */
  const send = async (incidentId: string, route: DownlinkRoute, row: Downlink): Promise<number> => {
    const now = clock.now()
    const device = deviceOf(route)
    const nextAt = (toldAt.get(device) ?? Number.NEGATIVE_INFINITY) + DISTANCE_MS
    if (nextAt > now && row.tries === 0) return nextAt
    if (now < row.dueAt + PATIENCE_MS && !(await isQuietNow())) {
      return now + YIELD_MS * Math.ceil(watched.size / LOOKS_A_SECOND)
    }
    return inLane(incidentId, route, async () => {
      toldAt.set(device, clock.now())
      await receipts.during(incidentId, () => handOver(incidentId, route, row.kind))
      return SECOND
    })
  }

  /** Withdraws outdated messages, unless the queue has some of a newer incident. Returns when to check again. */
  const takeStaleBack = (incidentId: string, route: DownlinkRoute, entry: Watched): number | null => {
    const newest = byDevice.get(deviceOf(route)) ?? incidentId
    if (entry.flushes >= MAX_FLUSHES || newest !== incidentId) return null
    return inLane(incidentId, route, async () => {
      entry.flushes += 1
      const taken = await takeBack(incidentId, route, entry.rows)
      if (taken === 'failed') entry.flushAt = clock.now() + RETRY_MS * FLUSH_FACTOR ** (entry.flushes - 1)
      else if (taken === 'done') entry.flushes = 0
      else Object.assign(entry, { flushes: entry.flushes - 1, flushAt: clock.now() + EMPTYING_MS })
      return 0
    })
  }

  /** Does the due work of one incident. Returns when to check again, or null if nothing is left to do. */
  const look = async (incidentId: string, entry: Watched): Promise<number | null> => {
    const record = await store.incident(incidentId)
    const downlinks = record?.incident.downlinks
    if (record === null || downlinks === undefined) return null
    const { incident } = record
    const { route, rows } = downlinks
    Object.assign(entry, { route, rows })
    if (isOpen(incident)) byDevice.set(deviceOf(route), incidentId)
    const now = clock.now()
    const expired = rows.filter((row) => row.status === 'scheduled' && row.expiresAt <= now)
    for (const { kind } of expired) {
      const { verdict } = await step(incidentId, kind, { name: 'expire' })
      if (verdict === 'changed') meter.count('lorawan_downlinks_total', { result: 'expired' })
    }
    if (expired.length > 0) return now
    const isStale = canWithdraw(needs, incident)
    const hasFailed = isStale && entry.flushes < MAX_FLUSHES && entry.flushAt > now
    const stale = isStale && !hasFailed ? takeStaleBack(incidentId, route, entry) : null
    if (stale !== null) return stale
    if (!isOpen(incident)) return hasFailed ? entry.flushAt : null
    const due = rows.find((row) => isDownlinkDue(incident, row, now))
    const moments = rows.flatMap((row) => {
      // Its receipt may still come.
      const at = row.status === 'sent' && row.expiresAt > now ? row.expiresAt : downlinkMoment(incident, row)
      return row === due || at === null ? [] : [at]
    })
    if (hasFailed) moments.push(entry.flushAt)
    if (due !== undefined) moments.push(await send(incidentId, route, due))
    // Nothing is left to tell, so the place is free. Later changes announce themselves.
    return moments.length === 0 ? null : Math.min(...moments)
  }

  const lookAtDue = async (): Promise<boolean> => {
    const now = clock.now()
    const due = [...watched].filter(([, { at }]) => at <= now)
    for (const [incidentId, entry] of due) {
      if (isStopped) return false
      entry.at = Number.POSITIVE_INFINITY
      try {
        const next = await look(incidentId, entry)
        if (next !== null) entry.at = Math.min(entry.at, next, clock.now() + LOOK_AGAIN_MS)
        else if (entry.at === Number.POSITIVE_INFINITY) forget(incidentId)
      } catch (error) {
        log.warn({ incidentId, err: error }, 'could not hand over the messages to a tracker; trying again')
        entry.at = clock.now() + RETRY_MS
      }
      // So many reads in a row would delay alarms.
      await nextTurn()
    }
    return due.length > 0
  }

  const watchLeft = (): Promise<void> =>
    leftDownlinks(needs, clock.now()).then(
      (left) => left.forEach(watch),
      (error) =>
        log.warn({ err: error }, 'messages to trackers that were left before wait for news of their incidents'),
    )

  const work = async (): Promise<void> => {
    await watchLeft()
    while (!isStopped) {
      isAwake = false
      const isMore = await lookAtDue()
      const next = [...watched.values()].reduce((first, { at }) => Math.min(first, at), clock.now() + HOUR)
      if (!isMore && !isAwake && !isStopped) await wait(Math.max(0, next - clock.now()))
    }
  }

  return {
    start() {
      isStopped = false
      run = work()
    },

    lookAgain() {
      for (const entry of watched.values()) Object.assign(entry, { flushes: 0, flushAt: 0 })
      if (!isStopped) void watchLeft()
    },

    heard: receipts.heard,

    reaches: (server) => senders.has(server),
    waiting: () => watched.size,

    async stop() {
      isStopped = true
      wake()
      await Promise.all([run, ...underWay])
    },
  }
}

const deviceOf = ({ server, devEui }: Pick<DownlinkRoute, 'server' | 'devEui'>): string => `${server} ${devEui}`
