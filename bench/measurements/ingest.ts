import { setTimeout as wait } from 'node:timers/promises'
import type { Contender } from '../contenders/contender.ts'
import type { Tocsin } from '../contenders/tocsin.ts'
import type { Identity } from '../load/frames.ts'
import { bringLoad } from '../load/load.ts'
import { cpuSecondsOf, cpuSecondsOfAll } from '../machine.ts'
import { type Plan, type Shape, shapes } from '../plan.ts'
import { median } from '../statistics.ts'

/** One contender under one shape of load. Rates in PUBACK/s. */
export type Rate = {
  readonly name: string
  readonly note: string
  readonly runs: readonly number[]
  readonly median: number
  /** Processor time per message in microseconds, including threads; null if the system does not report it. */
  readonly cpuMicros: number | null
  /**
   * The share of one core that the load generator used. Near 1, the generator was the bottleneck, not the contender.
   */
  readonly generatorLoad: number
  /** Cores that other programs used during the run; null if the system does not report it. */
  readonly othersLoad: number | null
}

export type IngestFigures = {
  readonly connections: number
  readonly inFlight: number
  readonly rates: readonly Rate[]
  /** Tocsin's median over each peer's, by the peer's name. */
  readonly ratios: Readonly<Record<string, number>>
}

/** Pause between two runs, for the previous contender to close its connections and finish its writes. */
const REST_MS = 300

/**
 * Saturates the contenders in turn, round by round, so that other load on the machine affects them all. For Tocsin,
 * checks that everything it acknowledged is counted as stored.
 */
export async function measureIngest(
  parts: {
    readonly tocsin: Tocsin
    readonly peers: readonly Contender[]
    readonly identities: readonly Identity[]
    readonly say: (line: string) => void
  },
  plan: Plan['ingest'],
  measured: readonly Shape[] = shapes,
): Promise<IngestFigures[]> {
  const { tocsin, peers, say } = parts
  const figures: IngestFigures[] = []
  for (const shape of measured) {
    const identities = parts.identities.slice(0, shape.connections)
    const contenders = [tocsin, ...peers]
    const runs = new Map(contenders.map(({ name }) => [name, [] as Run[]]))
    for (let round = 0; round < plan.rounds; round++) {
      for (const contender of contenders) {
        const run = contender === tocsin ? verified(tocsin) : saturate
        const result = await run(contender, identities, shape, plan)
        runs.get(contender.name)!.push(result)
        const rate = Math.round(result.rate).toLocaleString('en')
        say(`ingest ${shape.connections} × ${shape.inFlight}, round ${round + 1}: ${contender.name} ${rate}/s`)
        await wait(REST_MS)
      }
    }
    const rates = contenders.map((contender) => rateOf(contender, runs.get(contender.name)!))
    const ratios = Object.fromEntries(rates.slice(1).map((peer) => [peer.name, rates[0]!.median / peer.median]))
    figures.push({ ...shape, rates, ratios })
  }
  return figures
}

type Run = Pick<Rate, 'cpuMicros' | 'generatorLoad' | 'othersLoad'> & { readonly rate: number }

async function saturate(
  { port, pid }: Contender,
  identities: readonly Identity[],
  { inFlight }: Shape,
  { warmUpMs, measureMs }: Plan['ingest'],
): Promise<Run & { readonly acknowledged: number }> {
  const load = bringLoad({ kind: 'saturate', port, identities, inFlight, warmUpMs, measureMs })
  await load.measuring
  const before = processorOf(pid)
  const { measured, seconds, cpuSeconds, acknowledged } = await load.result
  const after = processorOf(pid)
  const own = after === null || before === null ? null : after.own - before.own
  const all = after === null || before === null ? null : after.all - before.all
  return {
    rate: measured / seconds,
    cpuMicros: own === null ? null : (own * 1e6) / measured,
    generatorLoad: cpuSeconds / seconds,
    othersLoad: own === null || all === null ? null : Math.max(0, all - own - cpuSeconds) / seconds,
    acknowledged,
  }
}

function processorOf(pid: number): { own: number; all: number } | null {
  const own = cpuSecondsOf(pid)
  const all = cpuSecondsOfAll()
  return own === null || all === null ? null : { own, all }
}

/** Everything acknowledged must have been stored; otherwise the figure would not describe our service. */
const verified =
  (tocsin: Tocsin): typeof saturate =>
  async (...args) => {
    const stored = () => tocsin.counter('tocsin_telemetry_total', { result: 'stored', transport: 'mqtt' })
    const before = await stored()
    const run = await saturate(...args)
    const kept = (await stored()) - before
    if (kept < run.acknowledged) throw new Error(`Tocsin acknowledged ${run.acknowledged} and stored ${kept}`)
    return run
  }

function rateOf({ name, note }: Contender, runs: readonly Run[]): Rate {
  return {
    name,
    note,
    runs: runs.map((run) => run.rate),
    median: median(runs.map((run) => run.rate)),
    cpuMicros: medianKnown(runs.map((run) => run.cpuMicros)),
    generatorLoad: median(runs.map((run) => run.generatorLoad)),
    othersLoad: medianKnown(runs.map((run) => run.othersLoad)),
  }
}

function medianKnown(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? null : median(known)
}
