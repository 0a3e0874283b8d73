import type { Config } from '../config.ts'

const MB = 1024 * 1024
/** Both can be in use at once, and alarms may take twice what waits for the disk. */
const SHARE = 1 / 32

/** How much of the process's memory limit each consumer may hold. Connections: `connection-budget.ts`. */
export const memoryShares = (memoryBytes: number, { waitingMb }: Pick<Config['limits'], 'waitingMb'>) => ({
  /** By what waits for the disk, before telemetry is refused: `limits.waitingMb`, and less on a small machine. */
  waitingBytes: Math.min(waitingMb * MB, memoryBytes * SHARE),
  /** By bodies that are longer than any alarm's. */
  longBodyBytes: memoryBytes * SHARE,
})
