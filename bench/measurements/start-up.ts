import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type Cost, startTocsin } from '../contenders/tocsin.ts'
import { proportionalBytesOf, residentBytesOf } from '../machine.ts'
import type { Plan } from '../plan.ts'
import { type Repeated, repeated, repeatedKnown } from '../statistics.ts'

type RepeatedCost = { readonly wallMs: Repeated; readonly cpuMs: Repeated | null }

export type StartUpFigures = {
  /** `start`, until it is ready. */
  readonly start: RepeatedCost
  /** `outbox list`, while the service runs, with nothing to list. */
  readonly command: RepeatedCost
  readonly idleSeconds: number
  /** Memory after that time with nothing going on: resident, and with what it shares divided among those that do. */
  readonly residentBytes: Repeated | null
  readonly proportionalBytes: Repeated | null
}

/**
 * Starts the service and one command again and again on the same data. The first start, which makes them, is not
 * counted.
 */
export async function measureStartUp(
  { dir, say }: { readonly dir: string; readonly say: (line: string) => void },
  { rounds, idleMs }: Plan['startUp'],
): Promise<StartUpFigures> {
  const place = join(dir, 'start-up')
  await (await startTocsin(place)).stop()
  const starts: Cost[] = []
  const commands: Cost[] = []
  const resident: (number | null)[] = []
  const proportional: (number | null)[] = []
  for (let round = 1; round <= rounds; round++) {
    const tocsin = await startTocsin(place)
    starts.push(tocsin.startUp)
    await wait(idleMs)
    resident.push(residentBytesOf(tocsin.pid))
    proportional.push(proportionalBytesOf(tocsin.pid))
    commands.push(await tocsin.timeCli('outbox', 'list'))
    await tocsin.stop()
    say(`start-up, round ${round}: ready after ${Math.round(tocsin.startUp.wallMs)} ms`)
  }
  return {
    start: repeatedCost(starts),
    command: repeatedCost(commands),
    idleSeconds: idleMs / 1000,
    residentBytes: repeatedKnown(resident),
    proportionalBytes: repeatedKnown(proportional),
  }
}

const repeatedCost = (costs: readonly Cost[]): RepeatedCost => ({
  wallMs: repeated(costs.map(({ wallMs }) => wallMs)),
  cpuMs: repeatedKnown(costs.map(({ cpuMs }) => cpuMs)),
})
