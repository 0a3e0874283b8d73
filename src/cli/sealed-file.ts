import { type FileHandle, open } from 'node:fs/promises'
import { asOwnerOf } from '../adapters/stores/sqlite/files/data-owner.ts'

/** Why a file cannot be opened, by the system's code. */
const openFailures: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EACCES: 'permission denied',
}

/** Opens a backup to read it. Rejects with a sentence for the operator. */
export async function openBackup(file: string): Promise<FileHandle> {
  try {
    return await open(file, 'r')
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    throw new Error(`cannot read ${file}: ${openFailures[code] ?? message}`)
  }
}

/** Whether it is an encrypted backup of a site; else it is a copy of the database. */
export const isEncryptedBackup = async (file: FileHandle): Promise<boolean> =>
  (await import('../adapters/platform/backup/age-file.ts')).isEncrypted(file)

/**
 * The keys to open a backup with. A file that the operator names is read with the operator's rights, the site's own key
 * with those of the data's owner.
 */
export async function identities(dataDir: string, named: string | undefined): Promise<readonly string[]> {
  const { identitiesFor } = await import('../service/backup/backup-key.ts')
  return named === undefined ? asOwnerOf(dataDir, () => identitiesFor(dataDir, named)) : identitiesFor(dataDir, named)
}
