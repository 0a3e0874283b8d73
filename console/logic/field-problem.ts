/** Why the service refuses the value of a field, in one language. By its fixed English words. */
export type FieldWords = {
  readonly fixed: Readonly<Record<string, string>>
  readonly longest: (count: string) => string
  readonly shortest: (count: string) => string
  readonly most: (limit: string) => string
  readonly least: (limit: string) => string
  readonly above: (limit: string) => string
  readonly below: (limit: string) => string
  readonly whole: (min: string, max: string) => string
  readonly mostContacts: (count: string) => string
  readonly mostEntries: (count: string) => string
  readonly leastEntries: (count: string) => string
  readonly oneOf: (values: string) => string
  readonly unknownFields: (names: string) => string
  readonly repeats: (line: string) => string
  readonly columns: (given: string, wanted: string) => string
  readonly missing: (name: string) => string
  readonly together: (name: string) => string
  /** For problems without words of their own. */
  readonly wrong: string
}

type Pattern = readonly [shape: RegExp, words: (words: FieldWords, found: readonly string[]) => string]

/** In this order: the first that fits. */
const patterns: readonly Pattern[] = [
  [/^must be (?:at most|not longer than) (\d+) characters long$/, (words, [n]) => words.longest(n!)],
  [/^must (?:have at most|not be longer than) (\d+) characters$/, (words, [n]) => words.longest(n!)],
  [/^must be text of 1 to (\d+) characters$/, (words, [n]) => words.longest(n!)],
  [/^must be at least (\d+) characters long$/, (words, [n]) => words.shortest(n!)],
  [/^must be at most ([\d.]+)$/, (words, [n]) => words.most(n!)],
  [/^must be at least ([\d.]+)$/, (words, [n]) => words.least(n!)],
  [/^must be more than ([\d.]+)$/, (words, [n]) => words.above(n!)],
  [/^must be less than ([\d.]+)$/, (words, [n]) => words.below(n!)],
  [/^must be a whole number from (\S+) to (\S+)$/, (words, [min, max]) => words.whole(min!, max!)],
  [/^must be a number above 0, up to (\S+)$/, (words, [max]) => words.most(max!)],
  [/^is one contact too many: (\d+) at most$/, (words, [n]) => words.mostContacts(n!)],
  [/^must have at most (\d+) entr(?:y|ies)$/, (words, [n]) => words.mostEntries(n!)],
  [/^must have at least (\d+) entr(?:y|ies)$/, (words, [n]) => words.leastEntries(n!)],
  [/^must be one of (.{1,300})$/, (words, [values]) => words.oneOf(values!)],
  [/^may name (.{1,300})$/, (words, [values]) => words.oneOf(values!)],
  [/^has unknown fields: (.{1,300})$/, (words, [names]) => words.unknownFields(names!)],
  [/^repeats the one in line (\d+)$/, (words, [line]) => words.repeats(line!)],
  [/^has (\d+) fields instead of (\d+)$/, (words, [given, wanted]) => words.columns(given!, wanted!)],
  [/^must name (\{\w+\})$/, (words, [name]) => words.missing(name!)],
  [/^must be sent together with (\w+)$/, (words, [name]) => words.together(name!)],
]

/** Why a value is refused, in the reader's language. What is not known is said without a reason, never in English. */
export function fieldProblemText(message: string, words: FieldWords): string {
  if (Object.hasOwn(words.fixed, message)) return words.fixed[message]!
  for (const [shape, said] of patterns) {
    const found = shape.exec(message)
    if (found !== null) return said(words, found.slice(1))
  }
  return words.wrong
}
