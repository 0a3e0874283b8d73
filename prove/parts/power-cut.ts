import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasProgram } from '../../test/fixtures/requires.ts'
import { startProcessSite, UNHURRIED } from '../../test/harness/process-site.ts'
import { COMMON } from '../environment.ts'
import { CannotRun, type Ground } from '../ground.ts'
import { Ledger } from '../load/ledger.ts'
import { LoopDisk } from '../machine/loop-disk.ts'
import { EIO, makeShim, type Shim } from '../machine/shim.ts'
import { stopProcess } from '../machine/stop-process.ts'
import type { Part } from '../part.ts'
import { type Row, rowOf } from '../row.ts'
import { Vitals } from '../sos/vitals.ts'

const DISK_MB = 512
const PRESSES = 30
/** A run ends after this many acknowledgements plus a random time. */
const MIN_ACKNOWLEDGED = 100
const MAX_MS = 1500
const FAILING_MS = 1500

/** Cuts the power of the service's disk again and again. `before`: what happens before each cut. */
async function cutAgainAndAgain(
  ground: Ground,
  cuts: number,
  parts: {
    readonly env?: Readonly<Record<string, string>>
    readonly begins?: () => void
    readonly before: () => Promise<void>
  },
): Promise<Omit<Row, 'part' | 'what'>> {
  if (!hasProgram('python3')) throw new CannotRun('needs python3, for the ioctl')
  const disk = await LoopDisk.make(ground, DISK_MB)
  const site = await startProcessSite(ground, {
    settings: UNHURRIED,
    dataDir: join(disk.path, 'data'),
    env: { ...COMMON, TOCSIN_LOG_LEVEL: 'error', ...parts.env },
  })
  const ledger = new Ledger()
  const vitals = new Vitals(site)
  const flow = { presses: PRESSES, withinMs: MAX_MS, contacts: () => [] }
  for (let n = 0; n < cuts; n++) {
    const over = new AbortController()
    const { ended } = await ledger.begin(site, over.signal, flow)
    await ledger.takesIn(MIN_ACKNOWLEDGED)
    await parts.before()
    // The processor would stop as well. If the process kept running, an fdatasync that meets the shutdown halfway would
    // return 0 (Linux 6.18, also seen with a ten-line C program), which never happens in a power cut. A service whose
    // disk has failed has already ended itself, to be restarted.
    if (site.process.isRunning) await stopProcess(site.process.pid)
    await disk.cut()
    await site.kill()
    over.abort()
    await ended
    await disk.unmount()
    await disk.mount()
    parts.begins?.()
    await site.start()
    await ledger.check(site)
  }
  await ledger.check(site, true)
  const { alertsAcknowledged, rowsAcknowledged, unanswered, lost, doubledRows, sos } = ledger
  return rowOf({
    part: '',
    what: '',
    acknowledged: alertsAcknowledged + rowsAcknowledged,
    unanswered,
    lost,
    doubled: doubledRows,
    sos,
    ...vitals.stop(),
    remark: `${alertsAcknowledged} alerts, ${rowsAcknowledged.toLocaleString('en')} rows`,
  })
}

const cutsOf = (cuts: number): string => `the power of the disk is cut ${cuts} times under alerts and telemetry`

/** What was acknowledged is on the disk, not on its way there. */
export const powerCut: Part = {
  name: 'power-cut',
  what: cutsOf(10),
  async run(ground, { cuts }) {
    const before = () => sleep(Math.random() * MAX_MS)
    return [{ ...(await cutAgainAndAgain(ground, cuts, { before })), part: 'power-cut', what: cutsOf(cuts) }]
  },
}

const errorsOf = (times: number): string =>
  `${times} times every fsync fails (and syncs nothing), then the power of the disk is cut`

/** A commit whose fsync failed must neither be acknowledged nor trusted afterwards. */
export const fsyncErrors: Part = {
  name: 'fsync-errors',
  what: errorsOf(3),
  async run(ground, { cuts }) {
    const times = Math.min(3, cuts)
    const shim: Shim = makeShim(ground)
    const before = async (): Promise<void> => {
      await sleep(Math.random() * MAX_MS)
      shim.makes({ syncErrno: EIO })
      await sleep(FAILING_MS)
    }
    const begins = () => shim.makes({})
    const row = await cutAgainAndAgain(ground, times, { env: shim.environment, begins, before })
    return [{ ...row, part: 'fsync-errors', what: errorsOf(times) }]
  },
}
