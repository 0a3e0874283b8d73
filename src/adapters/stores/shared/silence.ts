/**
 * The minutes after which a device counts as silent; 0 if it is not watched. For both databases, in a query that has
 * `hardware`, `users` and `applications` of the device.
 */
export const SILENT_AFTER = `CASE WHEN users.disabled OR applications.disabled THEN 0
    ELSE coalesce(hardware.silent_after_minutes, applications.silent_after_minutes) END`

/** Joins the rows that belong to a device, after `devices`. */
export const OF_DEVICE = `JOIN users ON users.id = devices.user_id
    JOIN applications ON applications.id = devices.app_id
    LEFT JOIN hardware ON hardware.app_id = devices.app_id AND hardware.hardware_id = devices.hardware_id`

/** Devices that were heard, with the rule by which each counts as silent. */
export const HEARD_DEVICES = `SELECT device_hearings.device_id AS "deviceId", devices.app_id AS "appId",
    devices.hardware_id AS "hardwareId", device_hearings.heard_at AS "heardAt",
    device_hearings.silent_since AS "silentSince", ${SILENT_AFTER} AS "silentAfterMinutes"
  FROM device_hearings JOIN devices ON devices.id = device_hearings.device_id ${OF_DEVICE}`
