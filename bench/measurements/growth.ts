import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { startTocsin, type Tocsin } from '../contenders/tocsin.ts'
import { roomFor } from '../descriptors.ts'
import type { Identity } from '../load/frames.ts'
import type { Message } from '../load/messages.ts'
import { connectTrackers } from '../load/tracker.ts'
import type { Plan } from '../plan.ts'
import { type Repeated, repeated, repeatedKnown } from '../statistics.ts'
import { type Run, repeatedThreads, runLoad } from './run.ts'

type Level = {
  /** How many connections, rows or incidents, or how many bytes. */
  readonly value: number
  /** Messages a second that were acknowledged, and those that could not be sent in time. */
  readonly rate: Repeated
  readonly withheld: number
  /** Processor time of the service per message in microseconds, and by thread. */
  readonly cpuMicros: Repeated | null
  readonly threadMicros: Readonly<Record<string, Repeated>> | null
}

export type GrowthFigures = {
  readonly name: string
  /** A note for the operator if there are too few descriptors for all connections. */
  readonly tooFew: string | null
  readonly levels: readonly Level[]
}

type GrowthNeeds = { readonly dir: string; readonly say: (line: string) => void }
/** One level: a service, and how telemetry comes to it. */
type Setting = {
  readonly value: number
  readonly tocsin: Tocsin
  readonly identities: readonly Identity[]
  readonly perSecond: number
  readonly message?: Message
}

/** Longer than the measurement: an open incident stays in its grace window, and nothing is sent. */
const GRACE_SECONDS = '3600'
const PRESS_AT_ONCE = 250
const FILL_IN_FLIGHT = 100
const FILL_MS = 10_000
const SETTLE_MS = 500

/**
 * How the processor time of one telemetry message grows: with the connections that bring the same rate, with the rows
 * that are stored, with the incidents that are open, and with the length of the message. The levels take turns, round
 * by round; one round before them is not counted.
 */
export async function measureGrowth(needs: GrowthNeeds, plan: Plan['growth']): Promise<GrowthFigures[]> {
  const base = await startService(needs, 'base')
  const wanted = plan.connections.at(-1)!
  const { count, tooFew } = roomFor(wanted, base.tocsin.pid)
  if (tooFew !== null) needs.say(tooFew)
  needs.say(`growth: making ${count.toLocaleString('en')} users`)
  const crowd = await base.tocsin.createUsers(base.application, 'crowd', count, 0)
  const usual = { tocsin: base.tocsin, identities: crowd.slice(0, plan.trackers), perSecond: plan.perSecond }

  const connections = plan.connections.filter((value) => value < count).concat(count)
  const byConnections = connections.map((value) => ({ ...usual, value, identities: crowd.slice(0, value) }))
  const byLength = plan.messages.map(({ bytes, perSecond }) => {
    const message: Message = { kind: 'telemetry', bytes }
    return { ...usual, value: bytes, perSecond, message }
  })
  const first = await measureLevels('connections', needs, byConnections, plan)
  const last = await measureLevels('bytes a message', needs, byLength, plan)
  await base.tocsin.stop()

  const byRows = await settingsOf(needs, plan, 'rows', plan.storedRows, store)
  const rows = await measureLevels('stored rows', needs, byRows, plan)
  await stopAll(byRows)
  const byIncidents = await settingsOf(needs, plan, 'incidents', plan.openIncidents, openIncidents)
  const incidents = await measureLevels('open incidents', needs, byIncidents, plan)
  await stopAll(byIncidents)
  return [
    { name: 'connections', tooFew, levels: first },
    { name: 'stored rows', tooFew: null, levels: rows },
    { name: 'open incidents', tooFew: null, levels: incidents },
    { name: 'bytes a message', tooFew: null, levels: last },
  ]
}

type Service = Awaited<ReturnType<typeof startService>>

async function startService({ dir }: GrowthNeeds, name: string) {
  const tocsin = await startTocsin(join(dir, `growth-${name}`))
  const application = await tocsin.createApplication('bench growth')
  const settings = ['--grace-seconds', GRACE_SECONDS]
  await tocsin.cli('app', 'actuator', 'set', application.appId, 'emergency_contacts', ...settings)
  return { tocsin, application }
}

const stopAll = (settings: readonly Setting[]): Promise<unknown> =>
  Promise.all(settings.map(({ tocsin }) => tocsin.stop()))

/** A separate service for each value, side by side, filled by `fill`. */
async function settingsOf(
  needs: GrowthNeeds,
  { trackers, perSecond }: Plan['growth'],
  name: string,
  values: readonly number[],
  fill: (service: Service, identities: readonly Identity[], value: number) => Promise<void>,
): Promise<Setting[]> {
  const services = await Promise.all(values.map((value) => startService(needs, `${name}-${value}`)))
  const settings: Setting[] = []
  for (const [n, value] of values.entries()) {
    const service = services[n]!
    const identities = await service.tocsin.createUsers(service.application, 'tracker', trackers, 0)
    needs.say(`growth: making ${value.toLocaleString('en')} ${name}`)
    await fill(service, identities, value)
    settings.push({ value, tocsin: service.tocsin, identities, perSecond })
  }
  return settings
}

/** Through the door that all rows come through, until there are as many, or a few more. */
async function store({ tocsin }: Service, identities: readonly Identity[], rows: number): Promise<void> {
  const { port, pid } = tocsin
  const saturate = { kind: 'saturate', port, identities, inFlight: FILL_IN_FLIGHT, warmUpMs: 0 } as const
  let rate = rows * 10
  for (let stored = 0; stored < rows; ) {
    const measureMs = Math.min(FILL_MS, ((rows - stored) / rate) * 1000)
    const run = await runLoad(pid, { ...saturate, measureMs })
    stored += run.acknowledged
    rate = run.rate
  }
}

async function openIncidents({ tocsin, application }: Service, _: readonly Identity[], count: number): Promise<void> {
  const users = await tocsin.createUsers(application, 'presser', count, 1)
  for (let at = 0; at < count; at += PRESS_AT_ONCE) {
    const trackers = await connectTrackers(tocsin.port, users.slice(at, at + PRESS_AT_ONCE))
    await Promise.all(trackers.map((tracker) => tracker.press()))
    for (const tracker of trackers) tracker.close()
  }
}

async function measureLevels(
  name: string,
  { say }: GrowthNeeds,
  settings: readonly Setting[],
  { rounds, warmUpMs, measureMs }: Plan['growth'],
): Promise<Level[]> {
  const runs = settings.map((): Run[] => [])
  for (let round = warmUpMs > 0 ? 0 : 1; round <= rounds; round++) {
    for (const [n, { value, tocsin, identities, perSecond, message }] of settings.entries()) {
      const order = { kind: 'pace', port: tocsin.port, identities, perSecond, burst: 1 } as const
      const run = await runLoad(
        tocsin.pid,
        message === undefined ? order : { ...order, message },
        round === 0 ? warmUpMs : measureMs,
      )
      if (round > 0) runs[n]!.push(run)
      const micros = run.cpuMicros === null ? '' : `, ${run.cpuMicros.toFixed(1)} µs a message`
      say(`growth, round ${round} of ${rounds}: ${name} ${value.toLocaleString('en')}${micros}`)
      await wait(SETTLE_MS)
    }
  }
  return settings.map(({ value }, n) => ({
    value,
    rate: repeated(runs[n]!.map(({ rate }) => rate)),
    withheld: runs[n]!.reduce((sum, { withheld }) => sum + withheld, 0),
    cpuMicros: repeatedKnown(runs[n]!.map(({ cpuMicros }) => cpuMicros)),
    threadMicros: repeatedThreads(runs[n]!),
  }))
}
