const TRIES = 5

/**
 * The milliseconds of processor time that `work` takes on this thread. On a busy machine work takes longer but not more
 * of it, so a bound on it needs no machine to itself. Repeated while it is not below `boundMs`, and the least counts: a
 * machine that stalls as a whole may charge for that. Many kernels count in steps of 4 ms, some of 10, so that short
 * work may take 0 ms: a bound is several steps above what it takes.
 */
export async function processorMs(boundMs: number, work: () => unknown): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let n = 0; n < TRIES && least >= boundMs; n += 1) {
    const before = process.threadCpuUsage()
    await work()
    const { user, system } = process.threadCpuUsage(before)
    least = Math.min(least, (user + system) / 1000)
  }
  return least
}
