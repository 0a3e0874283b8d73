import { decideSettings, type SettingChange, type SiteSetting } from '../../../../core/operator/site-setting.ts'
import type { SettingsStore } from '../../../../ports/store.ts'
import { replacing } from '../../shared/columns.ts'
import { SETTING_CHANGES, SITE_SETTINGS, TRIM_CHANGES } from '../../shared/settings.ts'
import type { ReadsOf } from '../../shared/writes.ts'
import type { Reader } from '../engine/reader.ts'
import { insertSql } from '../engine/row.ts'
import { leaveNotice, writesOf } from '../engine/write.ts'
import { recordAudit } from './record-audit.ts'

/** Nodes of earlier versions do not write here, and readers go on. */
const ALONE = 'LOCK TABLE site_settings IN SHARE ROW EXCLUSIVE MODE'
const SET = `${insertSql('site_settings')} ${replacing('site_settings')}`
const KEEP = insertSql('setting_changes')

export const settingsWrites = writesOf<SettingsStore>()({
  changeSettings: {
    async run(transaction, change, audit) {
      const { connection } = transaction
      await connection.run(ALONE)
      const decided = decideSettings(await connection.rows<SiteSetting>(SITE_SETTINGS), change)
      if ('refused' in decided) return decided
      await connection.run(SET, [JSON.stringify(decided.set)])
      await connection.run('DELETE FROM site_settings WHERE key = ANY($1::text[])', [decided.remove])
      await connection.run(KEEP, [JSON.stringify([change])])
      await connection.run(TRIM_CHANGES)
      await recordAudit(transaction, audit)
      await leaveNotice(transaction, { kind: 'settings' })
      return { changed: true }
    },
  },
})

export const settingsReads = ({ rows }: Reader): ReadsOf<SettingsStore> => ({
  siteSettings: () => rows<SiteSetting>(`${SITE_SETTINGS} ORDER BY key`),
  settingChanges: () => rows<SettingChange>(SETTING_CHANGES),
})
