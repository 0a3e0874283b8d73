import type { Language } from '../text/phrases.ts'
import type { Phrases } from '../text/placeholders.ts'

/**
 * What stands in place of texts that ask to tap a link, where nobody could open it. They keep to the GSM 7-bit
 * alphabet. rules.md#tracking-links.
 */
type LinklessWords = Pick<Phrases, 'checkIn' | 'answerStopped'> & {
  /** Before the person's number. */
  readonly number: string
}

export const linklessWords: Readonly<Record<Language, LinklessWords>> = {
  en: {
    checkIn: 'Are you still helping {who}?',
    answerStopped: 'You will get nothing more about {who}. A mistake? Answer START.',
    number: 'Tel.',
  },
  de: {
    checkIn: 'Kümmern Sie sich noch um {who}?',
    answerStopped: 'Sie erhalten nichts mehr zu {who}. War das ein Versehen? Antworten Sie START.',
    number: 'Tel.',
  },
  fr: {
    checkIn: 'SOS {who} : vous en occupez-vous toujours ?',
    answerStopped: 'Vous ne recevrez plus rien au sujet de {who}. Une erreur ? Répondez START.',
    number: 'Tél.',
  },
  it: {
    checkIn: 'Si sta ancora occupando di {who}?',
    answerStopped: 'Non riceverà più nulla su {who}. Un errore? Risponda START.',
    number: 'Tel.',
  },
  es: {
    checkIn: '¿Sigue ayudando a {who}?',
    answerStopped: 'Ya no va a recibir mensajes sobre {who}. ¿Ha sido un error? Responda START.',
    number: 'Tel.',
  },
}
