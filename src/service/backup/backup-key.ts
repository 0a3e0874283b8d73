import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { keepOnce } from '../../lib/kept-file.ts'
import { readOwnFile } from '../../lib/own-file.ts'

const FILE = 'backup.key'
const SECRET = 0o600
const MAX_KEY_BYTES = 64 * 1024

export const backupKeyFile = (dataDir: string): string => join(dataDir, FILE)

/** The key with which this site opens its own backups. Made at first use; in no backup. */
export type BackupKey = {
  readonly identity: string
  readonly recipient: string
  /** Tells the files of this site from those of another in the same directory. */
  readonly site: string
}

export async function siteBackupKey(dataDir: string): Promise<BackupKey> {
  const file = backupKeyFile(dataDir)
  if (readOwnFile(file) === null) {
    const identity = await generateX25519Identity()
    const text = `# public key: ${await identityToRecipient(identity)}\n${identity}\n`
    await keepOnce(file, text, SECRET)
  }
  return ownBackupKey(dataDir)
}

/** Throws with a sentence if there is none. */
async function ownBackupKey(dataDir: string): Promise<BackupKey> {
  const file = backupKeyFile(dataDir)
  const [identity] = identitiesIn(readOwnFile(file), file)
  const recipient = await identityToRecipient(identity)
  return { identity, recipient, site: createHash('sha256').update(recipient).digest('hex').slice(0, 8) }
}

/** As `age-keygen` writes it: one key a line, and comments. */
function identitiesIn(text: Buffer | null, file: string): readonly [string, ...string[]] {
  const lines = (text?.toString('utf8', 0, MAX_KEY_BYTES) ?? '').split('\n').map((line) => line.trim())
  const [first, ...others] = lines.filter((line) => /^AGE-SECRET-KEY-(PQ-)?1[0-9A-Z]+$/.test(line))
  if (first !== undefined) return [first, ...others]
  throw new Error(`${file} has no secret key of age: it is a line that begins with AGE-SECRET-KEY-1`)
}

/**
 * The keys to open a backup with: those in the file, or the site's own. Read with the rights of the caller. Throws with
 * a sentence for the operator.
 */
export function identitiesFor(dataDir: string, file: string | undefined): readonly string[] {
  if (file === undefined) {
    const own = backupKeyFile(dataDir)
    const text = readOwnFile(own)
    if (text !== null) return identitiesIn(text, own)
    throw new Error(
      `the backup is encrypted, and ${own} is not there: name the file with the secret key of backup.recipient (--identity FILE)`,
    )
  }
  let text: Buffer
  try {
    text = readFileSync(file)
  } catch (error) {
    throw new Error(`cannot read the key in ${file} (${(error as NodeJS.ErrnoException).code})`, { cause: error })
  }
  return identitiesIn(text, file)
}
