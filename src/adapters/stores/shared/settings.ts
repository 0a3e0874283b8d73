import { MAX_SETTING_CHANGES } from '../../../core/operator/site-setting.ts'
import { selected } from './columns.ts'

export const SITE_SETTINGS = `SELECT ${selected('site_settings')} FROM site_settings`
export const SETTING_CHANGES = `SELECT ${selected('setting_changes')} FROM setting_changes
  ORDER BY at DESC, id DESC LIMIT ${MAX_SETTING_CHANGES}`
/** For both databases. */
export const TRIM_CHANGES = `DELETE FROM setting_changes WHERE id NOT IN
  (SELECT id FROM setting_changes ORDER BY at DESC, id DESC LIMIT ${MAX_SETTING_CHANGES})`
