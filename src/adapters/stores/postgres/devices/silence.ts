import { devEuiOf } from '../../../../core/ingest/device-key.ts'
import type { HeardDevice, SilenceStore } from '../../../../ports/store.ts'
import { pairedSql, registeredSql } from '../../shared/dev-eui-sql.ts'
import { HEARD_DEVICES, OF_DEVICE, SILENT_AFTER } from '../../shared/silence.ts'
import type { ReadsOf } from '../../shared/writes.ts'
import type { Reader } from '../engine/reader.ts'
import { writesOf } from '../engine/write.ts'

const HEARD = {
  name: 'heard-devices',
  text: `${HEARD_DEVICES}
    WHERE device_hearings.device_id > $1 ORDER BY device_hearings.device_id LIMIT $2`,
}
/** In one order on all nodes, so that two of them never wait for each other. */
const HEAR = `INSERT INTO device_hearings (device_id, heard_at)
  SELECT devices.id, max(row."heardAt")
  FROM json_to_recordset($1)
      AS row ("appId" text COLLATE "C", "hardwareId" text COLLATE "C", eui text COLLATE "C", "heardAt" bigint)
    JOIN devices ON devices.id = ${pairedSql('id', { app: 'row."appId"', id: 'row."hardwareId"', eui: 'row.eui' })}
    ${OF_DEVICE}
  WHERE ${SILENT_AFTER} > 0 GROUP BY devices.id ORDER BY devices.id
  ON CONFLICT (device_id) DO UPDATE SET heard_at = excluded.heard_at`
const MARK = `UPDATE device_hearings SET silent_since = row."silentSince"
  FROM json_to_recordset($1) AS row ("deviceId" text COLLATE "C", "heardAt" bigint, "silentSince" bigint)
  WHERE device_hearings.device_id = row."deviceId" AND device_hearings.heard_at = row."heardAt"
    AND device_hearings.silent_since IS DISTINCT FROM row."silentSince"
  RETURNING device_hearings.device_id AS "deviceId"`
const WATCH = `UPDATE hardware SET silent_after_minutes = $3 WHERE app_id = $1
    AND hardware_id = ${registeredSql({ app: '$1', id: '$2', eui: '$4' })}
  RETURNING hardware_id`

export const silenceReads = ({ rows }: Reader): ReadsOf<SilenceStore> => ({
  heardDevices: (after, max) => rows<HeardDevice>(HEARD, [after, max]),
})

export const silenceWrites = writesOf<SilenceStore>()({
  noteHeard: {
    async run({ connection }, hearings) {
      const heard = hearings.map((hearing) => ({ ...hearing, eui: devEuiOf(hearing.hardwareId) }))
      await connection.run(HEAR, [JSON.stringify(heard)])
    },
  },

  keepSilence: {
    async run({ connection }, changes) {
      const marked = await connection.rows<{ deviceId: string }>(MARK, [JSON.stringify(changes)])
      return marked.map(({ deviceId }) => deviceId)
    },
  },

  watchHardware: {
    async run({ connection }, appId, hardwareId, silentAfterMinutes) {
      const [known] = await connection.rows(WATCH, [appId, hardwareId, silentAfterMinutes, devEuiOf(hardwareId)])
      return known === undefined ? { refused: 'hardware_not_found' } : { set: true }
    },
  },
})
