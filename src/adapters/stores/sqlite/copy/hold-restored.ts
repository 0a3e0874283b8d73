import type { Incident } from '../../../../core/incident/incident.ts'
import { refuseDeparted } from '../engine/departure.ts'
import { holdOpen } from '../files/restore.ts'
import { onStopped } from './stopped.ts'

/**
 * Treats the database of `dataDir` as one that was restored from an earlier moment, by a snapshot of the disk for
 * example, while no service runs on it. Resolves with its open incidents, which are held now (keeping.md#restore).
 */
export const holdRestored = (dataDir: string, now: number): Promise<readonly Incident[]> =>
  onStopped(dataDir, (db) => {
    refuseDeparted(db)
    return db.transaction(() => holdOpen(db, now)).immediate()
  })
