import type { ShiftTexts } from './en.ts'

export const shifts: ShiftTexts = {
  outcomes: {
    found_safe: 'personne retrouvée saine et sauve',
    hospital: 'conduite à l’hôpital',
    false_alarm: 'fausse alerte',
    test: 'essai',
    handed_over: 'transmise à d’autres',
  },
  outcome: 'Issue',
  outcomeAsk: 'Comment cela s’est-il terminé\u00a0?',
  outcomeUnknown: 'on ne sait pas',
  outcomeNote: 'En une phrase (facultatif)',
  outcomeHint: 'par exemple qui a pris le relais, et où',
}
