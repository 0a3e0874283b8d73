/** A page, newest first. `after` is the opaque cursor behind the last item, or null at the end. */
export type Page<T> = { readonly items: readonly T[]; readonly after: string | null }
export type PageQuery = { readonly after: string | null; readonly limit: number }
