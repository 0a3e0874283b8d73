/** Words after which German has another case. */
const DATIVE = /(?:^|\s)(?:von|bei|mit|nach|zu)\s$/i
const ACCUSATIVE = /(?:^|\s)(?:Sie|rufe|rufen|für|um)\s$/
/** What a sentence, or what is quoted, begins after. */
const BEGINNING = /(?:^|[.!?:¡¿«„“]|,\s*[„“«])\s*$/

/** The substitutes for a name with nothing readable in it, and what they become inside a sentence. */
const insideBy: Readonly<Record<string, (before: string) => string>> = {
  Someone: () => 'someone',
  Jemand: (before) => (DATIVE.test(before) ? 'jemandem' : ACCUSATIVE.test(before) ? 'jemanden' : 'jemand'),
  "Quelqu'un": () => "quelqu'un",
  'Quelqu’un': () => 'quelqu’un',
  Alguien: () => 'alguien',
  Qualcuno: () => 'qualcuno',
}

/** `name` as it stands after `before`, the text in front of it. Only substitutes change: no name is declined. */
export const asWritten = (name: string, before: string): string =>
  Object.hasOwn(insideBy, name) && !BEGINNING.test(before) ? insideBy[name]!(before) : name
