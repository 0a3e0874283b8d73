import { decideSettings, type SettingChange, type SiteSetting } from '../../../../core/operator/site-setting.ts'
import type { SettingsStore } from '../../../../ports/store.ts'
import { replacing } from '../../shared/columns.ts'
import { SETTING_CHANGES, SITE_SETTINGS, TRIM_CHANGES } from '../../shared/settings.ts'
import type { SqliteDatabase } from '../engine/database.ts'
import { fromRow, insertSql, type Row, toRow } from '../engine/row.ts'
import { type WriteContext, writesOf } from '../engine/write.ts'
import { auditing } from './record-audit.ts'

const settingRow = toRow<SiteSetting>('site_settings')
const settingOf = fromRow<SiteSetting>('site_settings')
const changeRow = toRow<SettingChange>('setting_changes')
const changeOf = fromRow<SettingChange>('setting_changes')

const settingRows = ({ db, leaveNotice }: WriteContext) => ({
  leaveNotice,
  record: auditing(db),
  stored: db.prepare<[], Row>(SITE_SETTINGS),
  set: db.prepare<Row>(`${insertSql('site_settings')} ${replacing('site_settings')}`),
  remove: db.prepare<[string]>('DELETE FROM site_settings WHERE key = ?'),
  keep: db.prepare<Row>(insertSql('setting_changes')),
  trim: db.prepare<[]>(TRIM_CHANGES),
})

export const settingsWrites = writesOf<SettingsStore>()(settingRows, {
  changeSettings: {
    run({ stored, set, remove, keep, trim, record, leaveNotice }, change, audit) {
      const decided = decideSettings(stored.all().map(settingOf), change)
      if ('refused' in decided) return decided
      for (const setting of decided.set) set.run(settingRow(setting))
      for (const key of decided.remove) remove.run(key)
      keep.run(changeRow(change))
      trim.run()
      record(audit)
      leaveNotice({ kind: 'settings' })
      return { changed: true }
    },
  },
})

export function settingsReads(db: SqliteDatabase) {
  const settings = db.prepare<[], Row>(`${SITE_SETTINGS} ORDER BY key`)
  const changes = db.prepare<[], Row>(SETTING_CHANGES)
  return {
    siteSettings: () => settings.all().map(settingOf),
    settingChanges: () => changes.all().map(changeOf),
  }
}
