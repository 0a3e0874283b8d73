/** Why a sealed value cannot be opened here. `why`: a sentence for the operator, without the value. */
type NotOpened = { readonly refused: 'no_key' | 'other_key' | 'damaged'; readonly why: string }

/**
 * Seals values for the store with the site's key. A sealed value is text; it names its key and is bound to its own
 * name, so that no row can stand in for another one.
 */
export type Secrets = {
  /** Why this node has no usable key, as a sentence for the operator; null if it has one, or can make one. */
  keyTrouble(): string | null
  /**
   * Why this node, among several, has another key than the site, as last compared; null if it has the site's, or none.
   * Such a node seals nothing: the others could not read it.
   */
  otherKey(): string | null
  /** Compares the key with that of the site, and returns `otherKey`. Rejects with a StoreError. */
  compareKey(): Promise<string | null>
  /**
   * Makes the key at first use on one box. Rejects with a sentence for the operator, as `keyTrouble`, or with a
   * StoreError.
   */
  seal(name: string, value: string | Uint8Array): Promise<string>
  /** Never throws. */
  open(name: string, sealed: string): { readonly value: Buffer } | NotOpened
}
