import { watchShifts } from '../app/operator/shift-watch.ts'
import type { Closers } from './closers.ts'
import type { Basis } from './storage.ts'

/** Watches who leaves alarms behind, until the service stops. Returns what has it look at once. */
export function shiftsWatched(basis: Basis, isDateBelieved: () => boolean, closers: Closers): () => void {
  const watch = watchShifts({ ...basis, isDateBelieved, mayRun: () => basis.lease?.isHousekeeper !== false })
  closers.add(() => watch.stop())
  return () => watch.look()
}
