/**
 * SQL for the DevEUI that a hardware id spells, in lower case and without separators: `devEuiOf` in the core. It must
 * equal the expression of the indexes `devices_by_eui` and `hardware_by_eui` to the letter, or neither is used.
 */
export const devEuiSql = (column: string): string =>
  `replace(replace(replace(replace(lower(${column}), ':', ''), '-', ''), '.', ''), ' ', '')`

/** Expressions of SQL: an application, a hardware id as it was given, and `devEuiOf` that id. */
export type GivenDevice = { readonly app: string; readonly id: string; readonly eui: string }

/** The newest pairing first: of devices that are one id, the one paired last. devices.md#device-ids. */
const LAST_PAIRED = 'paired_at DESC, id LIMIT 1'

/** SQL for one column of the paired device that has this id: in this very spelling, else in another one. */
export const pairedSql = (column: string, { app, id, eui }: GivenDevice): string => `coalesce(
    (SELECT ${column} FROM devices WHERE app_id = ${app} AND hardware_id = ${id}),
    (SELECT ${column} FROM devices WHERE app_id = ${app} AND ${devEuiSql('hardware_id')} = ${eui}
      ORDER BY ${LAST_PAIRED})
  )`

/** SQL for the spelling in which the device with this id is registered, or null. */
export const registeredSql = ({ app, id, eui }: GivenDevice): string => `coalesce(
    (SELECT hardware_id FROM hardware WHERE app_id = ${app} AND hardware_id = ${id}),
    (SELECT spelled.hardware_id FROM hardware AS spelled
        LEFT JOIN devices ON devices.app_id = spelled.app_id AND devices.hardware_id = spelled.hardware_id
      WHERE spelled.app_id = ${app} AND ${devEuiSql('spelled.hardware_id')} = ${eui}
      ORDER BY devices.paired_at IS NULL, devices.paired_at DESC, spelled.registered_at DESC, spelled.hardware_id
      LIMIT 1)
  )`

/** SQL: each registration that another one of the same application may mean as well. */
export const ALIKE = `FROM hardware WHERE EXISTS (
    SELECT 1 FROM hardware AS other WHERE other.app_id = hardware.app_id AND other.hardware_id <> hardware.hardware_id
      AND ${devEuiSql('other.hardware_id')} = ${devEuiSql('hardware.hardware_id')}
  ) ORDER BY app_id, hardware_id LIMIT 1000`
