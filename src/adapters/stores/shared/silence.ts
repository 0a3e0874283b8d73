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
