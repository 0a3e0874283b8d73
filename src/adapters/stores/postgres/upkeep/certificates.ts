import type { CertificateRecord, CertificateStore } from '../../../../ports/store.ts'
import type { ReadsOf } from '../../shared/writes.ts'
import type { Reader } from '../engine/reader.ts'
import { writesOf } from '../engine/write.ts'

const ALL = 'SELECT name, value, at FROM certificate_records ORDER BY name'
const KEEP = `INSERT INTO certificate_records (name, value, at) VALUES ($1, $2, $3)
  ON CONFLICT (name) DO UPDATE SET value = excluded.value, at = excluded.at`
const REMOVE = 'DELETE FROM certificate_records WHERE name = $1'

export const certificateReads = ({ rows }: Reader): ReadsOf<CertificateStore> => ({
  certificateRecords: () => rows<CertificateRecord>(ALL, []),
})

export const certificateWrites = writesOf<CertificateStore>()({
  keepCertificateRecord: {
    async run({ connection }, name, value, at) {
      if (value === null) await connection.run(REMOVE, [name])
      else await connection.run(KEEP, [name, value, at])
    },
  },
})
