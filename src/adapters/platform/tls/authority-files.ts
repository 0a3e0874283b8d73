import { join } from 'node:path'
import { keptDirectory, replaceFile, textOf } from '../../../lib/kept-file.ts'

/** A local CA, both in PEM. */
export type Authority = { readonly cert: string; readonly key: string }

const SECRET = 0o600
const PUBLIC = 0o644
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n?/

/** The files of a data directory's local CA. */
export const authorityFiles = (dataDir: string) => {
  const directory = join(dataDir, 'tls')
  return { directory, cert: join(directory, 'ca.crt'), key: join(directory, 'ca.key') }
}

/** The parts that exist. A key that the operator keeps elsewhere is null, and so is a lost file. */
export function authorityIn(dataDir: string): { readonly [F in keyof Authority]: string | null } {
  const { cert, key } = authorityFiles(dataDir)
  return { cert: textOf(cert), key: textOf(key) }
}

/** The form in which it is transferred, and shared by nodes. */
export const authorityText = ({ cert, key }: Authority): string => cert + key

export function authorityOf(text: string): Authority {
  const [cert = ''] = CERTIFICATE.exec(text) ?? []
  return { cert, key: text.replace(cert, '') }
}

/** Installs a CA in a data directory. The files of a previous one are kept as `.former`. */
export async function keepAuthority(dataDir: string, { cert, key }: Authority): Promise<void> {
  const files = authorityFiles(dataDir)
  await keptDirectory(files.directory)
  await replace(files.key, key, SECRET)
  await replace(files.cert, cert, PUBLIC)
}

async function replace(file: string, text: string, mode: number): Promise<void> {
  const there = textOf(file)
  if (there === text) return
  if (there !== null) await replaceFile(`${file}.former`, there, mode)
  await replaceFile(file, text, mode)
}
