/** Whether the open view holds back that another one replaces it; it then asks. Null: it has nothing to lose. */
export const leaving: { held: ((hash: string) => boolean) | null } = { held: null }
