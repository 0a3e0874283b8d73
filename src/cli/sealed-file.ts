import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { asOwnerOf } from '../adapters/stores/sqlite/files/data-owner.ts'

/** Why a file cannot be opened, by the system's code. */
const openFailures: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EACCES: 'permission denied',
  ELOOP: 'it is a symbolic link, which root does not follow; name the file itself',
}

/**
 * Opens a backup to read it. Rejects with a sentence for the operator. The service's user can put a link among its own
 * backups: root would read another file for it, and a restore would hand its contents to that user.
 */
export async function openBackup(file: string): Promise<FileHandle> {
  // A planted pipe cannot hang root either.
  const follow = process.getuid?.() === 0 ? constants.O_NOFOLLOW : 0
  const opened = await open(file, constants.O_RDONLY | constants.O_NONBLOCK | follow).catch((error: unknown) => {
    const { code = '', message } = error as NodeJS.ErrnoException
    throw new Error(`cannot read ${file}: ${openFailures[code] ?? message}`)
  })
  if ((await opened.stat()).isFile()) return opened
  await opened.close()
  throw new Error(`cannot read ${file}: it is not a regular file`)
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
