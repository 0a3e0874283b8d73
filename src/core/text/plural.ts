import type { Language } from './phrases.ts'

/** Picks the form that goes with `count`: French has its singular at 0, too. */
export function pluralIn(language: Language): (count: number, one: string, other: string) => string {
  const rules = new Intl.PluralRules(language)
  return (count, one, other) => (rules.select(count) === 'one' ? one : other)
}
