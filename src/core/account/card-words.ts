import { visibleText } from '../text/person-name.ts'
import type { Language } from '../text/phrases.ts'
import type { Card, HearingLoss } from './card.ts'

type CardWords = {
  /** Placeholder: `{who}`. */
  readonly title: string
  readonly fields: Readonly<Record<keyof Card, string>>
  readonly hearings: Readonly<Record<HearingLoss, string>>
}

/** Words around the card of the person, on contacts' pages and in the console. */
export const cardWords: Readonly<Record<Language, CardWords>> = {
  en: {
    title: 'What {who} wants helpers to know',
    fields: {
      languages: 'Speaks',
      hearing: 'Hearing',
      yearOfBirth: 'Year of birth',
      peopleWithMe: 'Travelling with',
      vehicle: 'Vehicle',
      note: 'Please note',
    },
    hearings: { deaf: 'deaf', hard_of_hearing: 'hard of hearing' },
  },
  de: {
    title: 'Was Helfende über {who} wissen sollen',
    fields: {
      languages: 'Spricht',
      hearing: 'Gehör',
      yearOfBirth: 'Geburtsjahr',
      peopleWithMe: 'Unterwegs mit',
      vehicle: 'Fahrzeug',
      note: 'Bitte beachten',
    },
    hearings: { deaf: 'gehörlos', hard_of_hearing: 'schwerhörig' },
  },
  fr: {
    title: 'Ce que les secours doivent savoir sur {who}',
    fields: {
      languages: 'Parle',
      hearing: 'Audition',
      yearOfBirth: 'Année de naissance',
      peopleWithMe: 'Accompagné de',
      vehicle: 'Véhicule',
      note: 'À savoir',
    },
    hearings: { deaf: 'personne sourde', hard_of_hearing: 'personne malentendante' },
  },
  it: {
    title: 'Che cosa deve sapere di {who} chi aiuta',
    fields: {
      languages: 'Parla',
      hearing: 'Udito',
      yearOfBirth: 'Anno di nascita',
      peopleWithMe: 'In viaggio con',
      vehicle: 'Veicolo',
      note: 'Da sapere',
    },
    hearings: { deaf: 'persona sorda', hard_of_hearing: 'persona con problemi di udito' },
  },
  es: {
    title: 'Lo que debe saber de {who} quien ayuda',
    fields: {
      languages: 'Habla',
      hearing: 'Audición',
      yearOfBirth: 'Año de nacimiento',
      peopleWithMe: 'Viaja con',
      vehicle: 'Vehículo',
      note: 'Tenga en cuenta',
    },
    hearings: { deaf: 'persona sorda', hard_of_hearing: 'persona con dificultades para oír' },
  },
}

/** The fields of a card that say something, in the reader's language and in the order of the card. */
export function cardRows(
  language: Language,
  card: Card,
): readonly { readonly name: keyof Card; readonly label: string; readonly text: string }[] {
  const { fields, hearings } = cardWords[language]
  const said: Readonly<Record<keyof Card, string>> = {
    languages: languageNames(language, card.languages),
    hearing: card.hearing === null ? '' : hearings[card.hearing],
    yearOfBirth: card.yearOfBirth === null ? '' : String(card.yearOfBirth),
    peopleWithMe: visibleText(card.peopleWithMe ?? ''),
    vehicle: visibleText(card.vehicle ?? ''),
    note: visibleText(card.note ?? ''),
  }
  return (Object.keys(fields) as (keyof Card)[])
    .map((name) => ({ name, label: fields[name], text: said[name] }))
    .filter(({ text }) => text !== '')
}

/** Languages by their names in the reader's language; one without a name by its tag. */
function languageNames(language: Language, tags: readonly string[]): string {
  const names = new Intl.DisplayNames(language, { type: 'language' })
  const nameOf = (tag: string): string => {
    try {
      return names.of(tag) ?? tag
    } catch {
      return tag
    }
  }
  return tags.map(nameOf).join(', ')
}
