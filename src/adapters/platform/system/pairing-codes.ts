import { randomBytes, randomInt, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import type { PairingCodes } from '../../../ports/passwords.ts'

/** About 20 ms and 16 MB per code, off the event loop. */
const COST: ScryptOptions = { N: 2 ** 14, r: 8, p: 1 }
const SALT_BYTES = 16
const KEY_BYTES = 32
/** Compared with if there is no hash, so that the check takes just as long. */
const NO_HASH = `${Buffer.alloc(SALT_BYTES).toString('hex')}:${Buffer.alloc(KEY_BYTES).toString('hex')}`

/** Without characters that are misread on a label. */
const ALPHABET = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789'
const LENGTH = 8

const derive = (code: string, salt: Buffer): Promise<Buffer> =>
  new Promise((resolve, reject) =>
    scrypt(code.normalize('NFC'), salt, KEY_BYTES, COST, (error, key) => (error ? reject(error) : resolve(key))),
  )

/** Pairing codes hashed with scrypt, as `salt:key` in hex. */
export const createPairingCodes = (): PairingCodes => ({
  make: () => Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join(''),
  async hash(code) {
    const salt = randomBytes(SALT_BYTES)
    return `${salt.toString('hex')}:${(await derive(code, salt)).toString('hex')}`
  },
  async matches(code, hash) {
    const [salt = '', key = ''] = (hash ?? NO_HASH).split(':')
    const derived = await derive(code, Buffer.from(salt, 'hex'))
    return timingSafeEqual(derived, Buffer.from(key, 'hex')) && hash !== null
  },
})
