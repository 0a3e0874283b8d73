import { pluralIn } from '../text/grammar.ts'
import { MAX_NAME_LENGTH, neutralName, shortened, visibleText } from '../text/person-name.ts'
import { textLanguage } from '../text/phrases.ts'

/** The most devices that a message names; the others are only counted. */
export const MAX_NAMED = 5

/** `named`: the first few hardware ids of `count`. */
export type NamedDevices = { readonly named: readonly string[]; readonly count: number }

type Words = {
  readonly fell: string
  readonly back: string
  /** Singular and plural. */
  readonly more: readonly [one: string, other: string]
  readonly noSos: string
}

const words: Readonly<Record<string, Words>> = {
  en: {
    fell: 'No longer heard from: {devices}.',
    back: 'Heard from again: {devices}.',
    more: ['and one more', 'and {count} more'],
    noSos: 'This is not an SOS: check battery and coverage.',
  },
  de: {
    fell: 'Kein Signal mehr von: {devices}.',
    back: 'Wieder Signal von: {devices}.',
    more: ['und einem weiteren', 'und {count} weiteren'],
    noSos: 'Das ist kein SOS: Prüfen Sie Akku und Empfang.',
  },
  fr: {
    fell: 'Plus aucune nouvelle de\u00a0: {devices}.',
    back: 'De nouveau en contact\u00a0: {devices}.',
    more: ['et un autre', 'et {count} autres'],
    noSos: 'Ce n’est pas un SOS\u00a0: vérifiez la batterie et la couverture réseau.',
  },
  it: {
    fell: 'Nessun segnale più da: {devices}.',
    back: 'Di nuovo un segnale da: {devices}.',
    more: ['e un altro', 'e altri {count}'],
    noSos: 'Non è un SOS: controlli la batteria e la copertura di rete.',
  },
  es: {
    fell: 'Ya no se recibe señal de: {devices}.',
    back: 'Se recibe señal de nuevo de: {devices}.',
    more: ['y uno más', 'y {count} más'],
    noSos: 'No es un SOS: compruebe la batería y la cobertura.',
  },
}

/** The chat post about devices that fell silent or were heard from again. devices.md#silence. */
export function silentDevicesText(
  languages: readonly string[],
  { app, fell, back }: { readonly app: string; readonly fell: NamedDevices; readonly back: NamedDevices },
): string {
  const { fell: ofFell, back: ofBack, more, noSos } = words[textLanguage(languages).slice(0, 2)] ?? words.en!
  const plural = pluralIn(textLanguage(languages))
  const listed = ({ named, count }: NamedDevices): string => {
    // The id as registered, so that it can be searched for. It comes from the operator, not from a user.
    const names = named.map((id) => shortened(visibleText(id).replaceAll('\n', ' '), MAX_NAME_LENGTH)).join(', ')
    const others = count - named.length
    return others > 0 ? `${names} ${plural(others, ...more).replace('{count}', String(others))}` : names
  }
  const sentences = [
    ...(fell.count > 0 ? [ofFell.replace('{devices}', () => listed(fell)), noSos] : []),
    ...(back.count > 0 ? [ofBack.replace('{devices}', () => listed(back))] : []),
  ]
  return `${neutralName(app) || 'Tocsin'}: ${sentences.join(' ')}`
}
