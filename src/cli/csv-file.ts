import { readFile } from 'node:fs/promises'
import type { BadLine } from '../core/account/hardware-lines.ts'

/** The text of a file that an operator named, or why it cannot be used. */
export type FileText = { readonly text: string } | { readonly refused: string }

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export async function readText(file: string): Promise<FileText> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => error)
  if (!Buffer.isBuffer(bytes)) return { refused: `${file} could not be read: ${bytes.code ?? bytes.message}` }
  try {
    return { text: utf8.decode(bytes) }
  } catch {
    return { refused: `${file} is not UTF-8; save it as CSV in UTF-8` }
  }
}

export const badLineText = ({ line, field, message }: BadLine): string =>
  `line ${line}: ${field === null ? '' : `${field} `}${message}`
