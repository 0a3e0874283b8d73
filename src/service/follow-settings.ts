import { SECOND } from '../lib/durations.ts'
import type { Closers } from './closers.ts'
import type { Basis } from './storage.ts'

const REREAD_MS = 30 * SECOND

/**
 * Reads the settings of the console, and again until all of them are in force: the notice of a change comes once.
 * Returns what begins a reading.
 */
export function followSettings(
  { site, clock, log }: Pick<Basis, 'clock' | 'log'> & { readonly site: Pick<Basis['site'], 'reread' | 'isInForce'> },
  closers: Closers,
): () => void {
  let cancel = (): void => {}
  let isOver = false
  const again = (): void => {
    cancel()
    if (!isOver) cancel = clock.after(REREAD_MS, read)
  }
  const read = (): void =>
    void site.reread().then(
      () => site.isInForce || again(),
      (error) => {
        if (!isOver) log.error({ err: error }, 'could not read the settings of the console; the former ones go on')
        again()
      },
    )
  closers.add(() => {
    isOver = true
    cancel()
  })
  return read
}
