import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { oneAtATime } from '../../../lib/waits.ts'
import type { Passwords } from '../../../ports/passwords.ts'

/** About 100 ms and 32 MB a password (OWASP's second choice for scrypt). The parameters are stored with each hash. */
const COST = { N: 2 ** 15, r: 8, p: 3 } as const
const SALT_BYTES = 16
const KEY_BYTES = 32
const MAX_MEMORY = 256 * 1024 * 1024

type Cost = { readonly N: number; readonly r: number; readonly p: number }

const derive = (password: string, salt: Buffer, cost: Cost): Promise<Buffer> =>
  new Promise((resolve, reject) =>
    scrypt(password.normalize('NFC'), salt, KEY_BYTES, { ...cost, maxmem: MAX_MEMORY }, (error, key) =>
      error ? reject(error) : resolve(key),
    ),
  )

const textOf = ({ N, r, p }: Cost, salt: Buffer, key: Buffer): string =>
  `scrypt:${N}:${r}:${p}:${salt.toString('hex')}:${key.toString('hex')}`

/** Compared with if there is no hash, so that the check takes just as long. */
const NO_HASH = textOf(COST, Buffer.alloc(SALT_BYTES), Buffer.alloc(KEY_BYTES))

/**
 * Passwords hashed with scrypt, one at a time: name look-ups and file reads use the same few threads, and an alarm must
 * not queue behind people who sign in.
 */
export function createPasswords(): Passwords {
  const deriveInTurn = oneAtATime(derive)
  return {
    async hash(password) {
      const salt = randomBytes(SALT_BYTES)
      return textOf(COST, salt, await deriveInTurn(password, salt, COST))
    },
    async matches(password, hash) {
      const [, N, r, p, salt = '', key = ''] = (hash ?? NO_HASH).split(':')
      const cost = { N: Number(N), r: Number(r), p: Number(p) }
      const derived = await deriveInTurn(password, Buffer.from(salt, 'hex'), cost)
      return timingSafeEqual(derived, Buffer.from(key, 'hex')) && hash !== null
    },
  }
}
