import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { keepOnce } from '../../../lib/kept-file.ts'
import { readOwnFile } from '../../../lib/own-file.ts'
import type { Secrets } from '../../../ports/secrets.ts'

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16
/** In base64url, the first bytes of the key's SHA-256. */
const NAME_BYTES = 9
const SEALED = /^tocsin1:([\w-]{12}):([\w-]+)$/

/** AES-256. */
const KEY_BYTES = 32
const VARIABLE = 'TOCSIN_SECRETS_KEY'

export type SecretsPlace = {
  readonly dataDir: string
  /** From `TOCSIN_SECRETS_KEY`; null where it is not set. */
  readonly key: Uint8Array | null
  /** Whether nodes share the store: then a key of one machine's own would be unreadable to the others. */
  readonly isShared: boolean
}

type SiteKey = { readonly name: string; readonly bytes: Uint8Array }

const named = (bytes: Uint8Array): SiteKey => ({
  name: createHash('sha256').update(bytes).digest().subarray(0, NAME_BYTES).toString('base64url'),
  bytes,
})

export const secretsFile = (dataDir: string): string => join(dataDir, 'secrets.key')

/** Whether the stored text is a sealed value. */
export const isSealed = (text: string): boolean => SEALED.test(text)

/**
 * The key from `TOCSIN_SECRETS_KEY`; on one box, else, that of `{dataDir}/secrets.key`, which is made at first use. A
 * box with both seals with the variable's and opens with either: so a site moves from one to the other. Never throws.
 */
export function createSecrets({ dataDir, key, isShared }: SecretsPlace): Secrets {
  const given = key === null ? null : named(key)
  const file = secretsFile(dataDir)
  let kept: SiteKey | null = null
  let fileTrouble: string | null = null

  function ownKey(): SiteKey | null {
    if (isShared || kept !== null) return kept
    fileTrouble = null
    try {
      const text = readOwnFile(file)?.toString('utf8') ?? null
      if (text === null) return null
      const bytes = Buffer.from(text.trim(), 'base64')
      if (bytes.length === KEY_BYTES) kept = named(bytes)
      else fileTrouble = `${file} is damaged: restore it from a backup, or move it away and enter the secrets again`
    } catch (error) {
      fileTrouble = `${file} could not be read (${(error as NodeJS.ErrnoException).code ?? (error as Error).message})`
    }
    return kept
  }

  function keyTrouble(): string | null {
    if (given !== null) return null
    if (isShared) return `this node has no ${VARIABLE}: set it to the key that all nodes of this site share`
    return ownKey() === null ? fileTrouble : null
  }

  async function keyForSealing(): Promise<SiteKey> {
    if (given !== null) return given
    if (keyTrouble() === null && ownKey() === null) {
      mkdirSync(dataDir, { recursive: true, mode: 0o700 })
      await keepOnce(file, `${randomBytes(KEY_BYTES).toString('base64')}\n`, 0o600)
    }
    const own = ownKey()
    if (own === null) throw new Error(keyTrouble() ?? `${file} could not be read`)
    return own
  }

  return {
    keyTrouble,
    otherKey: () => null,
    compareKey: async () => null,

    async seal(name, value) {
      const { name: keyName, bytes } = await keyForSealing()
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(CIPHER, bytes, nonce, { authTagLength: TAG_BYTES }).setAAD(boundTo(keyName, name))
      const text = [cipher.update(Buffer.from(value)), cipher.final()]
      return `tocsin1:${keyName}:${Buffer.concat([nonce, cipher.getAuthTag(), ...text]).toString('base64url')}`
    },

    open(name, sealed) {
      const [, keyName, body] = SEALED.exec(sealed) ?? []
      const damaged = { refused: 'damaged', why: `the sealed value ${name} is damaged: enter it again` } as const
      if (keyName === undefined || body === undefined) return damaged
      const trouble = keyTrouble()
      if (trouble !== null) return { refused: 'no_key', why: trouble }
      const key = [given, ownKey()].find((one) => one?.name === keyName)
      if (key == null) {
        const place = given === null ? file : VARIABLE
        const why = `the value ${name} was sealed with the key ${keyName}, which ${place} is not: give this node the site's key`
        return { refused: 'other_key', why }
      }
      const bytes = Buffer.from(body, 'base64url')
      const nonce = bytes.subarray(0, NONCE_BYTES)
      const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES)
      try {
        const options = { authTagLength: TAG_BYTES }
        const decipher = createDecipheriv(CIPHER, key.bytes, nonce, options).setAAD(boundTo(keyName, name))
        decipher.setAuthTag(tag)
        return { value: Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]) }
      } catch {
        return damaged
      }
    },
  }
}

/** The context that the seal vouches for, besides the value. */
const boundTo = (keyName: string, name: string): Buffer => Buffer.from(`tocsin1:${keyName}:${name}`)
