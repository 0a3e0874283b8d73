import type { Language } from './phrases.ts'

/**
 * What a drill says in place of the alarm's own words. No application can change them: a drill that does not say so is
 * an alarm. They keep to the GSM 7-bit alphabet. rules.md#drills.
 */
export type DrillWords = {
  /** Begins every text, before anything else. */
  readonly prefix: string
  /** Ends a call, because the beginning of a call is often missed. */
  readonly spokenEnd: string
  /** In place of the age of the position. */
  readonly invented: string
  /** To those who were told. It may end because of a real SOS, which must not be mistaken for part of the exercise. */
  readonly over: string
  /** To chat. A failed exercise is no reason to call an emergency number. */
  readonly unanswered: string
}

export const drillWords: Readonly<Record<Language, DrillWords>> = {
  en: {
    prefix: 'EXERCISE:',
    spokenEnd: 'EXERCISE: there is no emergency.',
    invented: 'not real',
    over: 'The SOS exercise for {who} is over. Any SOS without the word EXERCISE is real!',
    unanswered: 'Nobody responded to the SOS exercise for {who}.',
  },
  de: {
    prefix: 'ÜBUNG:',
    spokenEnd: 'ÜBUNG: Es liegt kein Notfall vor.',
    invented: 'erfunden',
    over: 'Die SOS-Übung für {who} ist beendet. Jeder SOS-Ruf ohne das Wort ÜBUNG ist echt!',
    unanswered: 'Niemand hat auf die SOS-Übung für {who} geantwortet.',
  },
  fr: {
    prefix: 'EXERCICE :',
    spokenEnd: "EXERCICE : il n'y a aucune urgence.",
    invented: 'fictive',
    over: "L'exercice SOS pour {who} est terminé. Tout SOS sans le mot EXERCICE est réel !",
    unanswered: "Personne n'a répondu à l'exercice SOS pour {who}.",
  },
  it: {
    prefix: 'ESERCITAZIONE:',
    spokenEnd: "ESERCITAZIONE: non c'è nessuna emergenza.",
    invented: 'fittizia',
    over: "L'esercitazione SOS per {who} è terminata. Ogni SOS senza la parola ESERCITAZIONE è reale!",
    unanswered: "Nessuno ha risposto all'esercitazione SOS per {who}.",
  },
  es: {
    prefix: 'SIMULACRO:',
    spokenEnd: 'SIMULACRO: no hay ninguna emergencia.',
    invented: 'ficticio',
    over: 'El simulacro de SOS para {who} ha terminado. ¡Todo SOS sin la palabra SIMULACRO es real!',
    unanswered: 'Nadie ha respondido al simulacro de SOS para {who}.',
  },
}

const WORD = /(?<!\p{L})(?:EXERCISE|ÜBUNG|UEBUNG|UBUNG|EXERCICE|ESERCITAZIONE|SIMULACRO)(?!\p{L})/giu
/** What remains in front of a name, such as the colon behind the word. */
const IN_FRONT = /^[^\p{L}\p{N}\p{S}]+/u

/**
 * A person's name without the word. In a name it would make a real alarm read like an exercise: anyone with a minute at
 * the phone could silence it for good. `name`: as `neutralName` leaves it. May be empty.
 */
export function withoutDrillWord(name: string): string {
  const rest = name.replace(WORD, ' ')
  return rest === name ? name : rest.replace(IN_FRONT, '').replace(/\s+/g, ' ').trim()
}
