/** Names as people type them: in any case, and however the accents are composed. */
const typed = (name: string): string => name.normalize('NFC').trim().toLowerCase()

/**
 * The one of `people` with this name, or else the one whose name begins like this. A refusal lists all people, or the
 * candidates: `told` says how to tell them apart.
 */
export function personNamed<P extends { readonly name: string }>(
  people: readonly P[],
  named: string,
  told: (person: P) => string,
): P | { readonly refused: string } {
  const wanted = typed(named)
  const exact = people.filter(({ name }) => typed(name) === wanted)
  const alike = wanted === '' ? [] : people.filter(({ name }) => typed(name).startsWith(wanted))
  const found = exact.length > 0 ? exact : alike
  const [person, another] = found
  if (person === undefined) {
    const everybody = people.map(({ name }) => name).join(', ') || 'nobody'
    return { refused: `no contact is called ${named}; the contacts are ${everybody}` }
  }
  if (another === undefined) return person
  return { refused: `more than one contact is called ${named}: ${found.map(told).join(', ')}` }
}
