import { resolve } from 'node:path'
import type { Config } from '../../config.ts'

/** The parts of a site besides its database, as its running process sees them. */
export type SiteSetup = {
  readonly dataDir: string
  /** Null: none; everything is in the variables. */
  readonly configFile: string | null
  /** Settings from the environment and from credentials (`settingsIn`). */
  readonly variables: Readonly<Record<string, string>>
  readonly tls: { readonly cert: string | null; readonly key: string | null }
  /** Relative to the data directory. */
  readonly overlays: readonly string[]
}

/** All that a backup needs, as JSON. */
export type BackupJob = SiteSetup & {
  /** `backup.to`: absolute, or relative to the data directory. */
  readonly to: string
  readonly keep: number
  readonly recipient: string
  readonly after: readonly string[] | null
  /** Old ones stay while the date is in doubt. */
  readonly mayPrune: boolean
  /** Epoch ms: none is made if one since then is in place. Null: one is made in any case. */
  readonly since: number | null
  /** A person asked for it, and accepts the directory as it is. */
  readonly isAsked: boolean
}

export type BackupMade = {
  readonly file: string
  /** Epoch ms. */
  readonly madeAt: number
  readonly bytes: number
  /** Old ones that made room for it. */
  readonly removed: readonly string[]
  /** Whether the database has a note of it. */
  readonly noted: boolean
  /** Why `backup.after` failed; null if it did not, or there is none. */
  readonly afterFailure: string | null
}

/** The sources of the configuration. */
export type ConfigSources = Pick<SiteSetup, 'configFile' | 'variables'>

/** The job that the configuration describes; null if backups are off, or the data is not here. */
export function backupJob(
  { dataDir, store, backup, tls, map }: Config,
  sources: ConfigSources,
): Omit<BackupJob, 'mayPrune' | 'since' | 'isAsked'> | null {
  const { recipient, to, keep, after } = backup
  return recipient === null || store.url !== null
    ? null
    : { ...sources, dataDir, to, keep, recipient, after, tls, overlays: map.overlays }
}

export const placeOfBackups = ({ dataDir, to }: Pick<BackupJob, 'dataDir' | 'to'>): string => resolve(dataDir, to)
