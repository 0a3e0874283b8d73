/** `value`: sealed. `updatedAt`: epoch ms. */
export type StoredCard = { readonly value: string; readonly updatedAt: number }

/** The card of a user for helpers, sealed with the site's key. rules.md#card. */
export type CardStore = {
  card(userId: string): Promise<StoredCard | null>
  /** Any one of the site, to see which key sealed it. */
  anyCard(): Promise<{ readonly userId: string; readonly value: string } | null>
  /**
   * Replaces the card's value, where it is still `before`: null for none. A `value` of null removes the card. `at`:
   * epoch ms.
   */
  keepCard(
    userId: string,
    card: { readonly value: string | null; readonly before: string | null; readonly at: number },
  ): Promise<{ readonly kept: true } | { readonly refused: 'card_changed' | 'user_not_found' }>
  /** Also one that cannot be opened. */
  removeCard(userId: string): Promise<{ readonly removed: true } | { readonly refused: 'no_card' }>
}
