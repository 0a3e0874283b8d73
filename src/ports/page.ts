/** A page, newest first. `after` is the opaque cursor behind the last item, or null at the end. */
export type Page<T> = {
  readonly items: readonly T[]
  readonly after: string | null
  /** The cursor was none of this list, so nothing was read: not the same as the end of the list. */
  readonly badCursor?: true
}
/** `after`: the cursor of the page before; null: from the beginning. */
export type PageQuery = { readonly after: string | null; readonly limit: number }

/**
 * A page of a list across applications. `appIds`: only of these; null: all. `text`: only what contains it, in any case;
 * null: everything. A page that had to look through many others ends early, so it may be short, or empty, before the
 * end.
 */
export type ScopedQuery = PageQuery & { readonly appIds: readonly string[] | null; readonly text: string | null }
