type Entry = { readonly kind: string; readonly round?: number | undefined }

/** Entries that stand together: the messages of one round (of two or more), or others (`round: null`). */
export type Group<T> = { readonly round: number | null; readonly rows: readonly T[] }

const roundOf = ({ kind, round }: Entry): number | null => (kind === 'message' ? (round ?? null) : null)

/**
 * In their order: messages of a round that follow each other are a group. A single one stands by itself, and so does
 * everything of an alarm whose first round has not ended.
 */
export function groupsOf<T extends Entry>(entries: readonly T[]): readonly Group<T>[] {
  const isOne = new Set(entries.map(roundOf).filter((round) => round !== null)).size < 2
  const groups: { round: number | null; rows: T[] }[] = []
  for (const entry of entries) {
    const round = isOne ? null : roundOf(entry)
    const last = groups.at(-1)
    if (last !== undefined && last.round === round) last.rows.push(entry)
    else groups.push({ round, rows: [entry] })
  }
  return groups.map((group) => (group.rows.length < 2 ? { ...group, round: null } : group))
}
