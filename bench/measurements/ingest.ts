import { setTimeout as wait } from 'node:timers/promises'
import type { Contender } from '../contenders/contender.ts'
import type { Tocsin } from '../contenders/tocsin.ts'
import type { Identity } from '../load/frames.ts'
import { type Plan, type Shape, shapes } from '../plan.ts'
import { median, type Repeated, repeated, repeatedKnown } from '../statistics.ts'
import { type Run, repeatedThreads, runLoad } from './run.ts'

/** One contender under one shape of load. Rates in PUBACK/s. */
export type Rate = {
  readonly name: string
  readonly note: string
  readonly runs: readonly number[]
  readonly median: number
  /**
   * Processor time per message in microseconds, including threads, and by thread; null if the system does not report
   * it.
   */
  readonly cpuMicros: Repeated | null
  readonly threadMicros: Readonly<Record<string, Repeated>> | null
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
  /** Tocsin's median over each peer's, by the peer's name: of the rates, and of the processor times. */
  readonly ratios: Readonly<Record<string, number>>
  readonly cpuRatios: Readonly<Record<string, number>>
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
    const ratios = ratiosOf(rates, (rate) => rate.median)
    figures.push({ ...shape, rates, ratios, cpuRatios: ratiosOf(rates, (rate) => rate.cpuMicros?.median) })
  }
  return figures
}

const saturate = ({ port, pid }: Contender, identities: readonly Identity[], shape: Shape, plan: Plan['ingest']) =>
  runLoad(pid, {
    kind: 'saturate',
    port,
    identities,
    inFlight: shape.inFlight,
    warmUpMs: plan.warmUpMs,
    measureMs: plan.measureMs,
  })

/** Everything acknowledged must have been stored; otherwise the figure would not describe our service. */
const verified =
  (tocsin: Tocsin): typeof saturate =>
  async (...args) => {
    const stored = async () =>
      (await tocsin.metrics())('tocsin_telemetry_total', { result: 'stored', transport: 'mqtt' })
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
    ...repeated(runs.map((run) => run.rate)),
    cpuMicros: repeatedKnown(runs.map((run) => run.cpuMicros)),
    threadMicros: repeatedThreads(runs),
    generatorLoad: median(runs.map((run) => run.generatorLoad)),
    othersLoad: repeatedKnown(runs.map((run) => run.othersLoad))?.median ?? null,
  }
}

/** The first's figure over that of each peer that has one. */
function ratiosOf(
  rates: readonly Rate[],
  figure: (rate: Rate) => number | undefined,
): Readonly<Record<string, number>> {
  const [ours, ...peers] = rates.map((rate) => ({ name: rate.name, value: figure(rate) }))
  return Object.fromEntries(
    peers.flatMap(({ name, value }) =>
      value === undefined || ours?.value === undefined ? [] : [[name, ours.value / value]],
    ),
  )
}
