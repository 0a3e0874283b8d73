import { selected } from './columns.ts'

export const DEVICES = `SELECT ${selected('devices')} FROM devices`
/** What pairing needs of a registration. */
export const HARDWARE = `SELECT
    ${selected('hardware', ['app_id', 'hardware_id', 'code_hash', 'model', 'tries', 'locked_until'])}
  FROM hardware`
