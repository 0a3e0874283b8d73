/** A page, newest first. `after` is the opaque cursor behind the last item, or null at the end. */
export type Page<T> = { readonly items: readonly T[]; readonly after: string | null }
/** `after`: the cursor of the page before; null: from the beginning. One that nobody made is the end of the list. */
export type PageQuery = { readonly after: string | null; readonly limit: number }

/**
 * A page of a list across applications. `appIds`: only of these; null: all. `text`: only what contains it, in any case;
 * null: everything. A page that had to look through many others ends early, so it may be short, or empty, before the
 * end.
 */
export type ScopedQuery = PageQuery & { readonly appIds: readonly string[] | null; readonly text: string | null }
