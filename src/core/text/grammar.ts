/** Prepositions that take the dative or accusative in German. */
const DATIVE = /(?:^|\s)(?:von|bei|mit|nach|zu)\s$/i
const ACCUSATIVE = /(?:^|\s)(?:Sie|rufe|rufen|für|um)\s$/
/** The beginning of a sentence or quotation, by the text before it. */
const BEGINNING = /(?:^|[.!?:¡¿«„“]|,\s*[„“«])\s*$/

/** The substitutes for an unreadable name, and their forms inside a sentence. */
const insideBy: Readonly<Record<string, (before: string) => string>> = {
  Someone: () => 'someone',
  Jemand: (before) => (DATIVE.test(before) ? 'jemandem' : ACCUSATIVE.test(before) ? 'jemanden' : 'jemand'),
  "Quelqu'un": () => "quelqu'un",
  'Quelqu’un': () => 'quelqu’un',
  Alguien: () => 'alguien',
  Qualcuno: () => 'qualcuno',
}

/** `name` as it is written after `before`, the text in front of it. Only substitutes change: names are not declined. */
export const asWritten = (name: string, before: string): string =>
  Object.hasOwn(insideBy, name) && !BEGINNING.test(before) ? insideBy[name]!(before) : name

/** French first names whose h is silent. Others, such as Hans or Hassan, keep their "de". */
const SILENT_H = /^h(?:[éèê]|ect|el[eè]|enri|erm|erv|ila|ipp|ono|ort|ubert|ugu|yac)/i
const VOWEL = /^[aeiouàâäæéèêëîïôöœùûü]|^y(?![aeiouàâäéèêëîïôöùûü])/i

/** `de Paul`, `d’Anna`: "of" before a name. */
export const ofName = (name: string): string => (VOWEL.test(name) || SILENT_H.test(name) ? `d’${name}` : `de ${name}`)

/** Picks the form that goes with `count`: French has its singular at 0, too. */
export function pluralIn(language: string): (count: number, one: string, other: string) => string {
  const rules = new Intl.PluralRules(language)
  return (count, one, other) => (rules.select(count) === 'one' ? one : other)
}
