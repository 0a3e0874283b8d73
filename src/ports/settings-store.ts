import type { AuditEntry } from '../core/operator/audit.ts'
import type { SettingChange, SiteSetting } from '../core/operator/site-setting.ts'

/** The console's settings, and their history. Secrets are sealed. */
export type SettingsStore = {
  siteSettings(): Promise<readonly SiteSetting[]>
  /** Newest first, at most `MAX_SETTING_CHANGES` of each section. */
  settingChanges(): Promise<readonly SettingChange[]>
  /**
   * Stores the change, its entry in the history, and the audit row, and tells other processes. Refused where a key no
   * longer has the value that the change was made from.
   */
  changeSettings(
    change: SettingChange,
    audit: AuditEntry,
  ): Promise<{ readonly changed: true } | { readonly refused: 'settings_changed' }>
}
