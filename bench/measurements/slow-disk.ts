import { join } from 'node:path'
import { Ground } from '../../prove/ground.ts'
import { makeShim } from '../../prove/machine/shim.ts'
import { startTocsin } from '../contenders/tocsin.ts'
import type { Plan } from '../plan.ts'
import { type Repeated, repeated, repeatedKnown } from '../statistics.ts'
import { type PressSpreads, pressers } from './press.ts'
import { type Run, runLoad } from './run.ts'

/** On a disk whose every fsync takes this much longer. */
export type SlowDiskFigures = {
  readonly delayMs: number
  readonly press: PressSpreads
  /** Telemetry with as much in flight as in the first shape: PUBACK/s, and processor time per message. */
  readonly ingest: Repeated
  readonly cpuMicros: Repeated | null
}

/**
 * Presses and ingests on a disk that a library, loaded before the service's own, makes slow. The first delay is 0: the
 * library alone. Throws `CannotRun` if the library cannot be built here.
 */
export async function measureSlowDisk(
  { dir, say }: { readonly dir: string; readonly say: (line: string) => void },
  { delaysMs, rounds, connections, inFlight, warmUpMs, measureMs, ...plan }: Plan['slowDisk'],
): Promise<SlowDiskFigures[]> {
  const ground = new Ground()
  try {
    const shim = makeShim(ground, dir)
    const tocsin = await startTocsin(join(dir, 'slow-disk'), [], shim.environment)
    ground.after(() => tocsin.stop())
    const application = await tocsin.createApplication('bench slow disk')
    const press = await pressers(tocsin, application, plan, delaysMs.length)
    const identities = await tocsin.createUsers(application, 'tracker', connections, 0)
    const presses: PressSpreads[] = []
    const runs = delaysMs.map((): Run[] => [])
    for (const delayMs of delaysMs) {
      say(`slow disk: ${plan.presses} presses, an fsync takes ${delayMs} ms longer`)
      shim.makes({ syncDelayMs: delayMs })
      presses.push(await press())
    }
    for (let round = 0; round < rounds; round++) {
      for (const [n, delayMs] of delaysMs.entries()) {
        shim.makes({ syncDelayMs: delayMs })
        const { port, pid } = tocsin
        const run = await runLoad(pid, { kind: 'saturate', port, identities, inFlight, warmUpMs, measureMs })
        runs[n]!.push(run)
        const rate = Math.round(run.rate).toLocaleString('en')
        say(`slow disk: ingest, round ${round + 1}: ${rate}/s where an fsync takes ${delayMs} ms longer`)
      }
    }
    return delaysMs.map((delayMs, n) => ({
      delayMs,
      press: presses[n]!,
      ingest: repeated(runs[n]!.map(({ rate }) => rate)),
      cpuMicros: repeatedKnown(runs[n]!.map(({ cpuMicros }) => cpuMicros)),
    }))
  } finally {
    await ground.end()
  }
}
