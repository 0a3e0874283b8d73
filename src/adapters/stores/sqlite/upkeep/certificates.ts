import type { CertificateRecord, CertificateStore } from '../../../../ports/store.ts'
import type { SqliteDatabase } from '../engine/database.ts'
import { type WriteContext, writesOf } from '../engine/write.ts'

export function certificateReads(db: SqliteDatabase) {
  const all = db.prepare<[], CertificateRecord>('SELECT name, value, at FROM certificate_records ORDER BY name')
  return { certificateRecords: (): readonly CertificateRecord[] => all.all() }
}

const rows = ({ db }: WriteContext) => ({
  keep: db.prepare<[string, string, number]>(
    `INSERT INTO certificate_records (name, value, at) VALUES (?, ?, ?)
     ON CONFLICT (name) DO UPDATE SET value = excluded.value, at = excluded.at`,
  ),
  remove: db.prepare<[string]>('DELETE FROM certificate_records WHERE name = ?'),
})

export const certificateWrites = writesOf<CertificateStore>()(rows, {
  keepCertificateRecord: {
    lane: 'bulk',
    reserve: 'spares',
    run({ keep, remove }, name, value, at) {
      if (value === null) remove.run(name)
      else keep.run(name, value, at)
    },
  },
})
