import type { ReadyTexts } from './en.ts'

export const ready: ReadyTexts = {
  drills: {
    open: (count) => (count === 1 ? '1 ESERCITAZIONE' : `${count} ESERCITAZIONI`),
    nobodyInDanger: 'Nessuno è in pericolo.',
    isOne: 'ESERCITAZIONE: nessuno è in pericolo e la posizione è fittizia. Ogni SOS senza questa parola è reale.',
    end: 'Termina l’esercitazione',
    endAsk: 'Terminare questa esercitazione?',
    endMeans: 'Tutte le persone avvisate vengono informate che l’esercitazione è terminata.',
    title: 'Esercitazioni',
    last90: 'Gli ultimi 90 giorni',
    start: 'Avvia un’esercitazione',
    startAsk: (name) => `Avviare un’esercitazione per ${name}?`,
    startAskAll: (name) => `Avviare un’esercitazione per tutte le persone di ${name}?`,
    everyone: 'Un’esercitazione per ogni persona attiva, al massimo 100.',
    toContacts: 'Invia ai telefoni dei contatti',
    toOutbox:
      'Nessun telefono squilla: SMS e chiamate restano nella posta in uscita. Chat e webhook ricevono i loro messaggi.',
    phonesRing: (names) =>
      `I telefoni squillano. Queste persone ricevono messaggi che iniziano con ESERCITAZIONE: ${names}. Le avvisi prima.`,
    phonesRingAll:
      'I telefoni squillano. Tutti i contatti di queste persone ricevono messaggi che iniziano con ESERCITAZIONE. Li avvisi prima.',
    noContacts: 'Nessun contatto di emergenza: nessuno verrebbe avvisato.',
    realWins:
      'Un vero SOS termina l’esercitazione e viene inviato come sempre. Altrimenti termina automaticamente dopo 30 minuti.',
    started: (count) => `Esercitazioni avviate: ${count}.`,
    notStarted: (name, why) => `${name}: non avviata, ${why}.`,
    passedOver: {
      incident_open: 'perché c’è un allarme reale aperto',
      drill_open: 'perché ce n’è già una in corso',
      too_many_drills: 'perché questa applicazione ne ha avute troppe in 24 ore',
      drilled_lately: 'perché questi contatti ne hanno avuta una nell’ultima ora',
    },
    endOpen: 'Termina le esercitazioni aperte',
    endOpenAsk: (name) => `Terminare le esercitazioni aperte di ${name}?`,
    ended: (count) => `Esercitazioni terminate: ${count}.`,
    report: 'Com’è andata l’esercitazione',
    toPhones: 'Ai telefoni dei contatti',
    toTheOutbox: 'Alla posta in uscita',
    went: 'Destinazione',
    firstAnswer: 'Prima risposta',
    noAnswer: 'nessuna risposta',
    answer: 'Risposta',
    ways: 'Messaggi',
    failed: 'Non riusciti',
    nothing: 'nessuno',
    after: (seconds) =>
      seconds === null
        ? 'nessuna risposta'
        : seconds < 120
          ? `dopo ${seconds} s`
          : `dopo ${Math.round(seconds / 60)} min`,
    overtaken: 'Un vero SOS o un ripristino l’ha terminata.',
    only: 'Esercitazioni invece degli allarmi',
  },
}
