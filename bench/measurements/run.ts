import { setTimeout as wait } from 'node:timers/promises'
import { bringLoad } from '../load/load.ts'
import type { Order, Result } from '../load/orders.ts'
import { cpuSecondsOf, cpuSecondsOfAll } from '../machine.ts'
import { type Repeated, repeatedKnown } from '../statistics.ts'
import { type ByThread, microsBetween, threadSecondsOf } from '../threads.ts'

/** One load on one contender. A figure is null if the system does not report it, or nothing was acknowledged. */
export type Run = {
  /** PUBACK/s. */
  readonly rate: number
  /** Processor time per message in microseconds: of the contender, including threads, and by thread. */
  readonly cpuMicros: number | null
  readonly threadMicros: ByThread | null
  /** The share of one core that the load generator used, and the cores that all other programs used. */
  readonly generatorLoad: number
  readonly othersLoad: number | null
  readonly acknowledged: number
  readonly withheld: number
}

/** Applies a load until it finishes, or for `lastingMs`. */
export async function runLoad(pid: number, order: Order, lastingMs: number | null = null): Promise<Run> {
  const load = bringLoad(order)
  await load.measuring
  const before = processorOf(pid)
  if (lastingMs !== null) {
    await wait(lastingMs)
    load.stop()
  }
  const result = await load.result
  return runOf(result, before, processorOf(pid))
}

type Processor = ReturnType<typeof processorOf>

const processorOf = (pid: number) => ({
  own: cpuSecondsOf(pid),
  all: cpuSecondsOfAll(),
  threads: threadSecondsOf(pid),
})

function runOf({ measured, seconds, cpuSeconds, acknowledged, withheld }: Result, before: Processor, after: Processor) {
  const own = difference(before.own, after.own)
  const all = difference(before.all, after.all)
  return {
    rate: measured / seconds,
    cpuMicros: own === null || measured === 0 ? null : (own * 1e6) / measured,
    threadMicros:
      before.threads === null || after.threads === null || measured === 0
        ? null
        : microsBetween(before.threads, after.threads, measured),
    generatorLoad: cpuSeconds / seconds,
    othersLoad: own === null || all === null ? null : Math.max(0, all - own - cpuSeconds) / seconds,
    acknowledged,
    withheld,
  }
}

const difference = (before: number | null, after: number | null): number | null =>
  before === null || after === null ? null : after - before

/** Each thread's median; null if no round has any. */
export function repeatedThreads(runs: readonly Run[]): Readonly<Record<string, Repeated>> | null {
  const names = new Set(runs.flatMap(({ threadMicros }) => Object.keys(threadMicros ?? {})))
  const threads = [...names].map((name) => [
    name,
    repeatedKnown(runs.map(({ threadMicros }) => (threadMicros === null ? null : (threadMicros[name] ?? 0))))!,
  ])
  return names.size === 0 ? null : Object.fromEntries(threads)
}
