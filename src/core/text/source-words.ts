import type { PositionSource } from '../ingest/position.ts'
import type { Language } from './phrases.ts'

/**
 * Words for the source of a position, and for the reporter of an alarm raised only by other users. No application can
 * change them: they tell how far a position can be trusted. They keep to the GSM 7-bit alphabet. rules.md#positions,
 * rules.md#relays.
 */
export type SourceWords = {
  readonly phone: string
  readonly tracker: string
  readonly throughOther: string
  /** Placeholder: `{device}`, the tracker. */
  readonly raised: string
}

export const sourceWords: Readonly<Record<Language, SourceWords>> = {
  en: {
    phone: 'phone',
    tracker: 'tracker',
    throughOther: 'tracker, through another user',
    raised: 'Raised through {device}, by another user of the service.',
  },
  de: {
    phone: 'Telefon',
    tracker: 'Tracker',
    throughOther: 'Tracker, über eine andere Person',
    raised: 'Ausgelöst über {device}, von einer anderen Person, die diesen Dienst nutzt.',
  },
  fr: {
    phone: 'téléphone',
    tracker: 'balise',
    throughOther: 'balise, par un autre utilisateur',
    raised: 'Alerte transmise par {device}, via un autre utilisateur du service.',
  },
  it: {
    phone: 'telefono',
    tracker: 'localizzatore',
    throughOther: 'localizzatore, tramite un altro utente',
    raised: 'Inviato tramite {device}, da un altro utente del servizio.',
  },
  es: {
    phone: 'teléfono',
    tracker: 'localizador',
    throughOther: 'localizador, por otra persona',
    raised: 'Enviado por medio de {device}, por otra persona que usa el servicio.',
  },
}

/** The sender of a position, in words. Null: unknown, as for one from an earlier version. */
export function sourceText(language: Language, source: PositionSource | undefined): string | null {
  const words = sourceWords[language]
  switch (source) {
    case undefined:
      return null
    case 'session':
      return words.phone
    case 'device':
    case 'relay':
      return words.tracker
    case 'other':
      return words.throughOther
    default:
      return source satisfies never
  }
}
