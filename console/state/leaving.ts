/** Returns true if the open view must not be replaced yet; it then asks. Null: it has nothing to lose. */
export const leaving: { held: ((hash: string) => boolean) | null } = { held: null }
