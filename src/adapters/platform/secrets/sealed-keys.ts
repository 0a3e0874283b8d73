import type { Log } from '../../../ports/log.ts'
import type { Secrets } from '../../../ports/secrets.ts'
import type { SharedKeys } from '../../../ports/shared-keys.ts'
import { isSealed } from './site-secrets.ts'

/** The name that the seal of a shared key is bound to. */
const sealNameOf = (name: string): string => `shared_keys/${name}`

class NotSealed extends Error {}

/** Shared keys behind the site's key. */
export type SealedKeys = SharedKeys & {
  /** Why a key could not be opened, as a sentence for the operator; null if all could. */
  trouble(): string | null
}

/**
 * `keys`, sealed where this node has the site's key. Rows stored before that stay as they are, and are read in both
 * forms: a node of an earlier version could not read a sealed one (ADR 0061).
 */
export function sealedKeys(
  keys: SharedKeys,
  { secrets, log }: { readonly secrets: Secrets; readonly log: Log },
): SealedKeys {
  let trouble: string | null = null
  return {
    trouble: () => trouble,
    async sharedKey(name, own) {
      const isOther = secrets.otherKey() !== null
      const stored = await keys
        .sharedKey(name, async () => {
          if (isOther) throw new NotSealed()
          const value = await own()
          return secrets.keyTrouble() === null ? Buffer.from(await secrets.seal(sealNameOf(name), value)) : value
        })
        .catch((error) => {
          // It must not be stored plain either: this node is there by mistake, and uses one of its own.
          if (error instanceof NotSealed) return null
          throw error
        })
      if (stored === null) return null
      const opened = openedKey(secrets, name, stored)
      if ('value' in opened) return opened.value
      trouble = opened.why
      log.error({ name, why: trouble }, 'a key that all nodes share cannot be opened; this node uses one of its own')
      return null
    },
  }
}

/** The key in a row of `shared_keys`, sealed or plain. */
export function openedKey(secrets: Secrets, name: string, stored: Uint8Array): ReturnType<Secrets['open']> {
  const text = Buffer.from(stored).toString('latin1')
  return isSealed(text) ? secrets.open(sealNameOf(name), text) : { value: Buffer.from(stored) }
}
