import { type Secret, secret } from './fields.ts'
import type { ConfigProblem } from './problem.ts'

/** The key that secrets in the store are sealed with. No key of the file, which is copied more carelessly. */
export const SECRETS_KEY_VARIABLE = 'TOCSIN_SECRETS_KEY'

const BYTES = 32

/** The 32 bytes, written in base64 or as 64 hexadecimal digits. */
export function secretsKeyOf(
  written: string | undefined,
): { readonly key: Secret<Uint8Array> | null } | { readonly problem: ConfigProblem } {
  const text = written?.trim() ?? ''
  if (text === '') return { key: null }
  const bytes = /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : base64(text)
  if (bytes?.length === BYTES) return { key: secret(bytes) }
  const message = 'must be 32 bytes in base64 or as 64 hexadecimal digits: openssl rand -base64 32 makes one'
  return { problem: { key: '', variable: SECRETS_KEY_VARIABLE, line: null, message } }
}

const base64 = (text: string): Buffer | null => (/^[\w+/-]+=*$/.test(text) ? Buffer.from(text, 'base64') : null)
