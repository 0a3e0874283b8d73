/** Secrets that all nodes of a site must have in common. */
export type SharedKeys = {
  /**
   * The secret of this name: the stored one, else the result of `own`, which is stored now. Of several nodes that begin
   * together the first one's counts for all. Null: it is sealed with a key that this node does not have. Rejects with a
   * StoreError, or as `own` does.
   */
  sharedKey(
    name: 'user-token' | 'local-ca' | 'secrets-key',
    own: () => Uint8Array | Promise<Uint8Array>,
  ): Promise<Uint8Array | null>
}
