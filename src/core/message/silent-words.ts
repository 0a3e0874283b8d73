import type { Purpose } from '../incident/delivery.ts'
import type { Language } from '../text/phrases.ts'
import type { Phrases } from '../text/placeholders.ts'
import type { ClosingFacts } from './closing-text.ts'

/**
 * What a silent emergency says: `doNotCall` behind every text that asks to act, and in place of the texts that order to
 * call the person. No application can change them: one own text that says "call" may give a hiding person away. They
 * keep to the GSM 7-bit alphabet. rules.md#silent-emergency.
 */
export type SilentWords = Pick<Phrases, 'unanswered' | 'lastCall' | 'endedByUser' | 'closedAlone'> & {
  readonly doNotCall: string
}

export const silentWords: Readonly<Record<Language, SilentWords>> = {
  en: {
    doNotCall: 'Do not call or text {who}: somebody may see it!',
    unanswered: "Nobody has answered {who}'s SOS. Call the emergency services now!",
    lastCall: 'Nobody has confirmed that {who} is safe! This alert will close automatically at {ends}.',
    endedByUser: "SOS ended from {who}'s phone, nobody else confirmed it.",
    closedAlone: "{who}'s SOS was closed automatically after {after}; nobody confirmed that {who} is safe.",
  },
  de: {
    doNotCall: 'Rufen Sie {who} nicht an und schreiben Sie nicht: Jemand könnte es sehen!',
    unanswered: 'Niemand hat auf den SOS-Ruf von {who} geantwortet. Wählen Sie jetzt den Notruf!',
    lastCall: 'Niemand hat bestätigt, dass {who} in Sicherheit ist! Automatisches Ende des Alarms: {ends}.',
    endedByUser: 'Der SOS-Ruf wurde vom Telefon von {who} aus beendet. Niemand sonst hat das bestätigt.',
    closedAlone:
      'Der SOS-Ruf von {who} wurde nach {after} automatisch beendet. Niemand hat bestätigt, dass {who} in Sicherheit ist.',
  },
  fr: {
    doNotCall: "N'appelez pas {who}, n'envoyez pas de message : quelqu'un pourrait le voir !",
    unanswered: "SOS {who} : personne n'a répondu. Appelez les secours !",
    lastCall: "SOS {who} : personne n'a confirmé que tout va bien ! Fin automatique de l'alerte : {ends}.",
    endedByUser: "SOS {who} : terminé depuis son propre téléphone. Personne d'autre ne l'a confirmé.",
    closedAlone: "SOS {who} : terminé automatiquement après {after}. Personne n'a confirmé que tout va bien.",
  },
  it: {
    doNotCall: 'Non chiami {who} e non scriva: qualcuno potrebbe vederlo!',
    unanswered: "Nessuno ha risposto all'SOS di {who}. Chiami subito i soccorsi!",
    lastCall: "Nessuno ha confermato che {who} sia al sicuro! Chiusura automatica dell'allarme: {ends}.",
    endedByUser: 'SOS chiuso dal telefono di {who}. Nessun altro lo ha confermato.',
    closedAlone:
      "L'SOS di {who} è stato chiuso automaticamente dopo {after}. Nessuno ha confermato che {who} sia al sicuro.",
  },
  es: {
    doNotCall: '¡No llame ni escriba a {who}: alguien puede verlo!',
    unanswered: 'Nadie ha respondido al SOS de {who}. ¡Llame a emergencias ahora!',
    lastCall: '¡Nadie ha confirmado que {who} esté a salvo! Cierre de la alarma por el sistema: {ends}.',
    endedByUser: 'SOS cerrado desde el teléfono de {who}. No lo ha confirmado ninguna otra persona.',
    closedAlone: 'El sistema ha cerrado el SOS de {who} tras {after}. Nadie ha confirmado que {who} esté a salvo.',
  },
}

/** Whether a message may make its reader call: all but the news of an answer, and ends that others have confirmed. */
export const mayLeadToCall = (purpose: Purpose, closing: Pick<ClosingFacts, 'by'> | null): boolean =>
  purpose !== 'acknowledged' && (purpose !== 'all_clear' || closing?.by === 'user' || closing?.by === 'system')
