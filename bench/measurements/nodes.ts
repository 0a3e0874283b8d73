import { setTimeout as wait } from 'node:timers/promises'
import { CannotRun, Ground } from '../../prove/ground.ts'
import { hasPostgres, POSTGRES, PostgresServer } from '../../test/harness/postgres.ts'
import { type Fleet, startAlone, startNodes } from '../contenders/fleet.ts'
import type { Tocsin } from '../contenders/tocsin.ts'
import type { Identity } from '../load/frames.ts'
import { bringLoad, type Load } from '../load/load.ts'
import type { Order } from '../load/orders.ts'
import { connectTrackers, type Tracker } from '../load/tracker.ts'
import { cpuSecondsOf, cpuSecondsOfTree } from '../machine.ts'
import { type Plan, shapes } from '../plan.ts'
import { type Repeated, repeated, repeatedKnown } from '../statistics.ts'
import { GRACE_SECONDS, type PressSpreads, pressAll } from './press.ts'

/** One store, with one node or several. */
export type NodesFigures = {
  readonly name: string
  /** PUBACK/s of all nodes together, in the first shape of ingest. */
  readonly ingest: Repeated
  /** Processor time per message: of all nodes together, and of the database server. Null: unknown, or there is none. */
  readonly serviceMicros: Repeated | null
  readonly databaseMicros: Repeated | null
  readonly idle: PressSpreads
  readonly loaded: PressSpreads & { readonly wantedRate: number; readonly reachedRate: number }
  /** How far the database is away in fact; null: as near as it can be. */
  readonly distanceMs: number | null
  /** Round trips of a transaction while nothing but presses goes on; null where nothing counts them. */
  readonly roundTrips: number | null
}

const [SHAPE] = shapes
const CONTACTS = 2
const WARM_UP = 30
const SETTLE_MS = 500
const BURST = 20
/** What a series of presses takes besides. */
const PREPARATION_MS = 2000
const MIN_PRESSES = 30

type Users = { readonly trackers: readonly Identity[]; readonly pressers: Identity[] }
type Say = (line: string) => void

/**
 * SQLite, PostgreSQL with several numbers of nodes, and PostgreSQL at several distances: each has its own data, and
 * they take turns. Throws `CannotRun` without a server of PostgreSQL.
 */
export async function measureNodes(
  { dir, say }: { readonly dir: string; readonly say: Say },
  plan: Plan['nodes'],
): Promise<NodesFigures[]> {
  if (!hasPostgres()) throw new CannotRun(`needs ${POSTGRES}`)
  const ground = new Ground()
  const began = performance.now()
  try {
    const server = await PostgresServer.start({ shared_buffers: '256MB' })
    ground.after(() => server.stop())
    const near = plan.counts.map((count) => ({ count, delayMs: 0 }))
    const far = plan.delaysMs.map((delayMs) => ({ count: 1, delayMs }))
    const fleets: Fleet[] = []
    const ready = (fleet: Fleet): void => {
      ground.after(() => fleet.stop())
      fleets.push(fleet)
      say(`nodes: ${fleet.name} is ready`)
    }
    ready(await startAlone(dir))
    for (const setUp of [...near, ...far]) {
      ready(await startNodes(dir, server, setUp))
    }
    return await measureFleets(fleets, {
      plan,
      say,
      leftMs: () => plan.maxSeconds * 1000 - (performance.now() - began),
    })
  } finally {
    await ground.end()
  }
}

async function measureFleets(
  fleets: readonly Fleet[],
  { plan, say, leftMs }: { readonly plan: Plan['nodes']; readonly say: Say; readonly leftMs: () => number },
): Promise<NodesFigures[]> {
  const halfMs = (plan.maxSeconds * 1000) / 2
  const users = new Map<Fleet, Users>()
  for (const fleet of fleets) users.set(fleet, await usersOf(fleet, plan))
  const ingest = new Map(fleets.map((fleet) => [fleet, [] as Ingest[]]))
  for (let round = 0; round < plan.rounds && (round === 0 || leftMs() > halfMs); round++) {
    for (const fleet of fleets) {
      const run = await ingestOnce(fleet, users.get(fleet)!, plan)
      ingest.get(fleet)!.push(run)
      say(`nodes: ingest, round ${round + 1}: ${fleet.name} ${Math.round(run.rate).toLocaleString('en')}/s`)
    }
  }
  const pressed = new Map<Fleet, Pick<NodesFigures, 'idle' | 'loaded' | 'distanceMs' | 'roundTrips'>>()
  for (const [place, fleet] of fleets.entries()) {
    const presses = pressesWithin(leftMs() / (fleets.length - place), plan)
    say(`nodes: ${presses} presses idle and under half load: ${fleet.name}`)
    const { median } = repeated(ingest.get(fleet)!.map(({ rate }) => rate))
    pressed.set(fleet, await pressesOf(fleet, users.get(fleet)!, { ...plan, presses, wantedRate: median / 2 }))
  }
  return fleets.map((fleet) => {
    const runs = ingest.get(fleet)!
    return {
      name: fleet.name,
      ingest: repeated(runs.map(({ rate }) => rate)),
      serviceMicros: repeatedKnown(runs.map(({ serviceMicros }) => serviceMicros)),
      databaseMicros: repeatedKnown(runs.map(({ databaseMicros }) => databaseMicros)),
      ...pressed.get(fleet)!,
    }
  })
}

/** As many presses of a series as a set-up has time for, on a machine where everything takes long. */
function pressesWithin(timeMs: number, { presses, perSecond }: Plan['nodes']): number {
  const seriesMs = timeMs / 2 - PREPARATION_MS
  return Math.min(presses, Math.max(MIN_PRESSES, Math.floor((seriesMs * perSecond) / 1000)))
}

/** Of those that publish, and those that press; all made at the first node. */
async function usersOf({ nodes: [first] }: Fleet, { presses }: Plan['nodes']): Promise<Users> {
  const application = await first!.createApplication('bench nodes')
  const settings = ['--grace-seconds', String(GRACE_SECONDS)]
  await first!.cli('app', 'actuator', 'set', application.appId, 'emergency_contacts', ...settings)
  return {
    trackers: await first!.createUsers(application, 'tracker', SHAPE.connections, 0),
    pressers: await first!.createUsers(application, 'presser', WARM_UP + 2 * presses, CONTACTS),
  }
}

/** Every node gets its part, dealt like cards. */
const partOf = <T>(all: readonly T[], node: number, { nodes }: Fleet): T[] =>
  all.filter((_, n) => n % nodes.length === node)

const bringTo = (fleet: Fleet, orderFor: (tocsin: Tocsin, node: number) => Order): Load[] =>
  fleet.nodes.map((tocsin, node) => bringLoad(orderFor(tocsin, node)))

type Ingest = {
  readonly rate: number
  readonly serviceMicros: number | null
  readonly databaseMicros: number | null
}

/** Saturates all nodes at once. Everything they acknowledge must be counted as stored. */
async function ingestOnce(fleet: Fleet, { trackers }: Users, { warmUpMs, measureMs }: Plan['nodes']): Promise<Ingest> {
  const stored = await sumOver(fleet, 'tocsin_telemetry_total', { result: 'stored', transport: 'mqtt' })
  const loads = bringTo(fleet, ({ port }, node) => ({
    kind: 'saturate',
    port,
    identities: partOf(trackers, node, fleet),
    inFlight: SHAPE.inFlight,
    warmUpMs,
    measureMs,
  }))
  await Promise.all(loads.map(({ measuring }) => measuring))
  const before = processorOf(fleet)
  const results = await Promise.all(loads.map(({ result }) => result))
  const after = processorOf(fleet)
  await wait(SETTLE_MS)
  const kept = (await sumOver(fleet, 'tocsin_telemetry_total', { result: 'stored', transport: 'mqtt' })) - stored
  const acknowledged = results.reduce((sum, result) => sum + result.acknowledged, 0)
  if (kept < acknowledged) throw new Error(`${fleet.name} acknowledged ${acknowledged} and stored ${kept}`)
  const measured = results.reduce((sum, result) => sum + result.measured, 0)
  const micros = (from: number | null, to: number | null): number | null =>
    from === null || to === null || measured === 0 ? null : ((to - from) * 1e6) / measured
  return {
    rate: results.reduce((sum, result) => sum + result.measured / result.seconds, 0),
    serviceMicros: micros(before.service, after.service),
    databaseMicros: micros(before.database, after.database),
  }
}

function processorOf({ nodes, database }: Fleet) {
  const each = nodes.map(({ pid }) => cpuSecondsOf(pid))
  return {
    service: each.reduce<number | null>((sum, one) => (sum === null || one === null ? null : sum + one), 0),
    database: database === null ? null : cpuSecondsOfTree(database),
  }
}

async function sumOver({ nodes }: Fleet, name: string, labels?: Readonly<Record<string, string>>): Promise<number> {
  const all = await Promise.all(nodes.map((node) => node.metrics()))
  return all.reduce((sum, metrics) => sum + metrics(name, labels), 0)
}

async function pressesOf(
  fleet: Fleet,
  { trackers, pressers }: Users,
  plan: Plan['nodes'] & { readonly wantedRate: number },
): Promise<Pick<NodesFigures, 'idle' | 'loaded' | 'distanceMs' | 'roundTrips'>> {
  const { presses, perSecond, wantedRate } = plan
  const press = async (count: number): Promise<PressSpreads> =>
    pressAll(await connectTo(fleet, pressers.splice(0, count)), perSecond)
  // The first ones of a new process are slow.
  await press(WARM_UP)
  await wait(SETTLE_MS)
  await fleet.distance?.passed()
  const idle = await press(presses)
  const passed = (await fleet.distance?.passed()) ?? null
  const loads = bringTo(fleet, ({ port }, node) => ({
    kind: 'pace',
    port,
    identities: partOf(trackers, node, fleet),
    perSecond: wantedRate / fleet.nodes.length,
    burst: BURST,
  }))
  await Promise.all(loads.map(({ measuring }) => measuring))
  await wait(SETTLE_MS)
  const loaded = await press(presses)
  for (const load of loads) load.stop()
  const results = await Promise.all(loads.map(({ result }) => result))
  const reachedRate = results.reduce((sum, { measured, seconds }) => sum + measured / seconds, 0)
  return {
    idle,
    loaded: { ...loaded, wantedRate, reachedRate },
    distanceMs: passed === null ? null : passed.roundTripMs,
    roundTrips: passed === null || passed.transactions === 0 ? null : passed.trips / passed.transactions,
  }
}

/** One after another presses at another node. */
async function connectTo(fleet: Fleet, identities: readonly Identity[]): Promise<Tracker[]> {
  const parts = await Promise.all(
    fleet.nodes.map(({ port }, node) => connectTrackers(port, partOf(identities, node, fleet))),
  )
  return identities.map((_, n) => parts[n % parts.length]![Math.floor(n / parts.length)]!)
}
