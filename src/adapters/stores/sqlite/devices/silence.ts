import type { HeardDevice, SilenceStore } from '../../../../ports/store.ts'
import { pairedSql, registeredSql } from '../../shared/dev-eui-sql.ts'
import { HEARD_DEVICES, OF_DEVICE, SILENT_AFTER } from '../../shared/silence.ts'
import type { SqliteDatabase } from '../engine/database.ts'
import { type WriteContext, writesOf } from '../engine/write.ts'
import { ASKED, type AskedDevice, asked } from './asked-device.ts'

export function silenceReads(db: SqliteDatabase) {
  const heard = db.prepare<[string, number], HeardDevice>(
    `${HEARD_DEVICES}
     WHERE device_hearings.device_id > ? ORDER BY device_hearings.device_id LIMIT ?`,
  )
  return { heardDevices: (after: string, max: number): readonly HeardDevice[] => heard.all(after, max) }
}

const silenceRows = ({ db }: WriteContext) => ({
  hear: db.prepare<[heardAt: number, AskedDevice]>(
    `INSERT INTO device_hearings (device_id, heard_at)
     SELECT devices.id, ? FROM devices ${OF_DEVICE}
     WHERE devices.id = ${pairedSql('id', ASKED)} AND ${SILENT_AFTER} > 0
     ON CONFLICT (device_id) DO UPDATE SET heard_at = excluded.heard_at`,
  ),
  mark: db.prepare<[number | null, string, number, number | null]>(
    'UPDATE device_hearings SET silent_since = ? WHERE device_id = ? AND heard_at = ? AND silent_since IS NOT ?',
  ),
  watch: db.prepare<[minutes: number | null, AskedDevice]>(
    `UPDATE hardware SET silent_after_minutes = ? WHERE app_id = +@app AND hardware_id = ${registeredSql(ASKED)}`,
  ),
})

export const silenceWrites = writesOf<SilenceStore>()(silenceRows, {
  noteHeard: {
    lane: 'bulk',
    reserve: 'spares',
    run({ hear }, hearings) {
      for (const { appId, hardwareId, heardAt } of hearings) {
        hear.run(heardAt, asked(appId, hardwareId))
      }
    },
  },

  keepSilence: {
    lane: 'bulk',
    reserve: 'spares',
    run: ({ mark }, changes) =>
      changes
        .filter(
          ({ deviceId, heardAt, silentSince }) => mark.run(silentSince, deviceId, heardAt, silentSince).changes > 0,
        )
        .map(({ deviceId }) => deviceId),
  },

  watchHardware: {
    run: ({ watch }, appId, hardwareId, silentAfterMinutes) =>
      watch.run(silentAfterMinutes, asked(appId, hardwareId)).changes === 0
        ? { refused: 'hardware_not_found' }
        : { set: true },
  },
})
