import type { Language } from './phrases.ts'

/** Answers for somebody who can hardly type, by their public names. rules.md#talk. */
export const quickReplies = {
  cannot_move: {
    en: "I can't move",
    de: 'Ich kann mich nicht bewegen',
    fr: 'Je ne peux pas bouger',
    es: 'No puedo moverme',
    it: 'Non riesco a muovermi',
  },
  two_of_us: {
    en: 'There are two of us',
    de: 'Wir sind zu zweit',
    fr: 'Nous sommes deux',
    es: 'Somos dos',
    it: 'Siamo in due',
  },
  yes: { en: 'Yes', de: 'Ja', fr: 'Oui', es: 'Sí', it: 'Sì' },
  no: { en: 'No', de: 'Nein', fr: 'Non', es: 'No', it: 'No' },
} as const satisfies Readonly<Record<string, Readonly<Record<Language, string>>>>

export type QuickReply = keyof typeof quickReplies

export const quickReplyNames = Object.keys(quickReplies) as readonly QuickReply[]

/** A name that a later version has stored is none of these. */
export const isQuickReply = (name: string): name is QuickReply => Object.hasOwn(quickReplies, name)

/** A line of a talk as a reader of this language sees it. `quickReply`: null if it was typed. */
export const lineText = (
  { quickReply, text }: { readonly quickReply: string | null; readonly text: string },
  language: Language,
): string => (quickReply !== null && isQuickReply(quickReply) ? quickReplies[quickReply][language] : text)

/** How people say that they are well, in lower case and without apostrophes, accents and punctuation. */
const FINE = [
  ...['im fine', 'i am fine', 'im ok', 'im okay', 'i am ok', 'i am okay', 'im alright', 'all good', 'im safe'],
  ...['i am safe', 'all ok', 'everything is fine', 'false alarm'],
  ...['mir geht es gut', 'mir gehts gut', 'alles gut', 'alles ok', 'alles okay', 'alles in ordnung', 'fehlalarm'],
  ...['bin in sicherheit', 'bin ok', 'bin okay'],
  ...['je vais bien', 'ca va', 'tout va bien', 'tout est ok', 'fausse alerte', 'fausse alarme'],
  ...['estoy bien', 'todo bien', 'todo esta bien', 'estoy a salvo', 'falsa alarma'],
  ...['sto bene', 'tutto bene', 'tutto ok', 'va tutto bene', 'sono al sicuro', 'falso allarme'],
].map((words) => ` ${words} `)

/**
 * Whether a text says that its writer is well. Whoever holds the phone can write that, so readers are told that nobody
 * else has confirmed it. Missing one changes nothing but that remark. rules.md#talk.
 */
export function saysFine(text: string): boolean {
  const words = text
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[\p{M}'’]/gu, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
  return FINE.some((fine) => ` ${words} `.includes(fine))
}
