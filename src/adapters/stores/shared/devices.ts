import { columnsBut, selected } from './columns.ts'

export const DEVICES = `SELECT ${selected('devices')} FROM devices`
/** The columns of a registration that pairing needs. */
export const HARDWARE = `SELECT
    ${selected('hardware', ['app_id', 'hardware_id', 'code_hash', 'model', 'tries', 'locked_until'])}
  FROM hardware`

/** The columns of a feedback, whose number the database gives. */
export const OF_FEEDBACK = columnsBut('feedback', 'number')
/** Feedback with its application and user. */
export const FEEDBACK = `SELECT feedback.id, users.app_id AS "appId", feedback.user_id AS "userId",
    users.external_user_id AS "externalUserId", message, category, rating, feedback.created_at AS "createdAt"
  FROM feedback JOIN users ON users.id = feedback.user_id`

const ofHardware = `hardware.hardware_id AS "hardwareId", hardware.model, users.id AS "userId",
    users.external_user_id AS "externalUserId", devices.paired_at AS "pairedAt", hardware.locked_until AS "lockedUntil",
    hardware.silent_after_minutes AS "silentAfterMinutes", device_hearings.silent_since AS "silentSince"`
const FROM_HARDWARE = `FROM hardware
    LEFT JOIN devices ON devices.app_id = hardware.app_id AND devices.hardware_id = hardware.hardware_id
    LEFT JOIN users ON users.id = devices.user_id
    LEFT JOIN device_hearings ON device_hearings.device_id = devices.id`
/** Registrations with their pairing. */
export const HARDWARE_ROWS = `SELECT ${ofHardware} ${FROM_HARDWARE}`
/** Registrations with their pairing and application. */
export const HARDWARE_OF_APPS = `SELECT hardware.app_id AS "appId", ${ofHardware} ${FROM_HARDWARE}`
/** `heardAt`: the later of two moments, either of which may be null; each database has its own function for it. */
export const hardwareDetailSql = (heardAt: string): string => `SELECT ${ofHardware}, hardware.app_id AS "appId",
    devices.id AS "deviceId", applications.disabled OR users.disabled IS TRUE AS disabled,
    applications.silent_after_minutes AS "applicationSilentAfterMinutes", ${heardAt} AS "heardAt",
    device_tokens.created_at AS "tokenMadeAt", device_states.state
  ${FROM_HARDWARE}
    JOIN applications ON applications.id = hardware.app_id
    LEFT JOIN device_tokens ON device_tokens.device_id = devices.id
    LEFT JOIN device_states ON device_states.device_id = devices.id`

/** Paired devices of enabled users and applications, with the state of each. */
export const PAIRED_DEVICES = `SELECT devices.id AS "deviceId", devices.app_id AS "appId", devices.user_id AS "userId",
    devices.hardware_id AS "hardwareId", hardware.model, device_states.state
  FROM devices
    JOIN users ON users.id = devices.user_id AND NOT users.disabled
    JOIN applications ON applications.id = devices.app_id AND NOT applications.disabled
    LEFT JOIN hardware ON hardware.app_id = devices.app_id AND hardware.hardware_id = devices.hardware_id
    LEFT JOIN device_states ON device_states.device_id = devices.id`
