import { MAX_SETTING_CHANGES } from '../../../core/operator/site-setting.ts'
import { selected } from './columns.ts'

export const SITE_SETTINGS = `SELECT ${selected('site_settings')} FROM site_settings`
export const SETTING_CHANGES = `SELECT ${selected('setting_changes')} FROM setting_changes ORDER BY at DESC, id DESC`
/** For both databases. */
export const TRIM_CHANGES = `DELETE FROM setting_changes WHERE id IN
  (SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY section ORDER BY at DESC, id DESC) AS place
    FROM setting_changes) AS placed WHERE place > ${MAX_SETTING_CHANGES})`
