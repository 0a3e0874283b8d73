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
  /** Placeholder: `{device}`, the number that the text came from. */
  readonly raisedBySms: string
}

/** Before the number, where a text raised the alarm: it takes the place of the tracker's id. sms.md#sms-sos. */
export const SMS_SENDER = 'SMS '

/**
 * The sentence that says how an alarm was raised, with its placeholder, and what replaces that. `deviceId`: the
 * tracker, or the sender of a text.
 */
export function raisedWords(
  language: Language,
  deviceId: string,
): { readonly phrase: string; readonly device: string } {
  const { raised, raisedBySms } = sourceWords[language]
  if (!deviceId.startsWith(SMS_SENDER)) return { phrase: raised, device: deviceId }
  return { phrase: raisedBySms, device: deviceId.slice(SMS_SENDER.length) }
}

export const sourceWords: Readonly<Record<Language, SourceWords>> = {
  en: {
    phone: 'phone',
    tracker: 'tracker',
    throughOther: 'tracker, through another user',
    raised: 'Raised through {device}, by another user of the service.',
    raisedBySms: 'Raised by SMS from {device}, may be forged.',
  },
  de: {
    phone: 'Telefon',
    tracker: 'Tracker',
    throughOther: 'Tracker, über eine andere Person',
    raised: 'Ausgelöst über {device}, von einer anderen Person, die diesen Dienst nutzt.',
    raisedBySms: 'Ausgelöst per SMS von {device}, kann gefälscht sein.',
  },
  fr: {
    phone: 'téléphone',
    tracker: 'balise',
    throughOther: 'balise, par un autre utilisateur',
    raised: 'Alerte transmise par {device}, via un autre utilisateur du service.',
    raisedBySms: 'Alerte par SMS du {device}, auteur non vérifié.',
  },
  it: {
    phone: 'telefono',
    tracker: 'localizzatore',
    throughOther: 'localizzatore, tramite un altro utente',
    raised: 'Inviato tramite {device}, da un altro utente del servizio.',
    raisedBySms: 'Inviato per SMS da {device}, forse falsificato.',
  },
  es: {
    phone: 'teléfono',
    tracker: 'localizador',
    throughOther: 'localizador, por otra persona',
    raised: 'Enviado por medio de {device}, por otra persona que usa el servicio.',
    raisedBySms: 'Enviado por SMS desde {device}, puede ser falso.',
  },
}

/** Of a position. Absent: unknown, as for one from an earlier version. */
type Sender = { readonly source?: PositionSource | undefined; readonly bySms?: true | undefined }

/** The sender of a position, in words. Null: unknown. */
export function sourceText(language: Language, { source, bySms }: Sender): string | null {
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
      return bySms === true ? SMS_SENDER.trim() : words.throughOther
    default:
      return source satisfies never
  }
}
