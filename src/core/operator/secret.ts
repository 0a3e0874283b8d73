import { createHash } from 'node:crypto'
import { base32, TOTP_SECRET_BYTES } from './totp.ts'

/** The stored hash of a generated secret. The secret is as random as the hash, so a fast hash is enough. */
export const secretHash = (secret: string): string => createHash('sha256').update(secret, 'utf8').digest('hex')

/** The secret for an authenticator app, in hexadecimal, from at least 160 random bits in base64url. */
export const totpSecretFrom = (random: string): string =>
  Buffer.from(random, 'base64url').subarray(0, TOTP_SECRET_BYTES).toString('hex')

const RECOVERY_BYTES = 10
/** The number of recovery codes that an operator gets. */
export const RECOVERY_CODES = 8

/** A code to write down, `ABCD-EFGH-IJKL-MNOP`, from at least 80 random bits in base64url. */
export const recoveryCodeFrom = (random: string): string =>
  (base32(Buffer.from(random, 'base64url').subarray(0, RECOVERY_BYTES)).match(/.{4}/g) ?? []).join('-')

/** The hash of a recovery code as typed: without the hyphens, in either case. */
export const recoveryHash = (typed: string): string => secretHash(typed.replace(/[\s-]/g, '').toUpperCase())
