import type { Secrets } from '../../../ports/secrets.ts'
import type { SharedKeys } from '../../../ports/shared-keys.ts'

/** The row that identifies the site's key. Its content does not matter, only who can open it. */
const ROW = 'secrets-key'
const SEAL = `shared_keys/${ROW}`

/** Thrown where a node must not say which key is the site's. */
class NotOurs extends Error {}

/**
 * The secrets of a node among several: seals nothing with a key that the others do not have. The first node that has a
 * key makes a row that it can open; of several that begin together one does. `isForeign`: whether the store already
 * holds a value sealed with another key, such as one that came along from another site.
 */
export function agreedSecrets(own: Secrets, keys: SharedKeys, isForeign: () => Promise<boolean>): Secrets {
  let other: string | null = null

  async function look(): Promise<string | null> {
    if (own.keyTrouble() !== null) return null
    const mark = async () => {
      if (await isForeign()) throw new NotOurs()
      return Buffer.from(await own.seal(SEAL, ROW))
    }
    const stored = await keys.sharedKey(ROW, mark).catch((error) => {
      if (error instanceof NotOurs) return null
      throw error
    })
    return stored !== null && 'value' in own.open(SEAL, Buffer.from(stored).toString('latin1')) ? null : OTHER
  }

  return {
    keyTrouble: () => own.keyTrouble() ?? other,
    otherKey: () => other,
    async compareKey() {
      other = await look()
      return other
    },
    async seal(name, value) {
      other = await look()
      if (other !== null) throw new Error(other)
      return own.seal(name, value)
    },
    open: (name, sealed) => own.open(name, sealed),
  }
}

const OTHER =
  'this node has another TOCSIN_SECRETS_KEY than the site: give it the one of the other nodes, and start it again'
