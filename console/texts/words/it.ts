import type { WordTexts } from './en.ts'

export const words: WordTexts = {
  purposes: {
    reopened: 'nuovo allarme',
    acknowledged: 'qualcuno ha risposto',
    unanswered: 'nessuno ha risposto',
    check_in: 'domanda',
    last_call: 'ultimo avviso',
    all_clear: 'com’è finita',
  },
  failures: {
    'rate limited (HTTP 429)': 'limitato dal fornitore (HTTP 429)',
    'connection timeout': 'tempo di connessione scaduto',
    'connection refused': 'connessione rifiutata',
    'connection reset': 'connessione interrotta',
    'connection failed': 'connessione non riuscita',
    'network unreachable': 'rete non raggiungibile',
    'name not found': 'nome del server non trovato',
    'certificate not accepted': 'certificato non accettato',
    'blocked address': 'indirizzo non consentito',
    'invalid number': 'numero non valido',
    busy: 'occupato',
    'no-answer': 'nessuna risposta',
    canceled: 'annullato',
    'provider error': 'errore del fornitore',
    'provider busy': 'fornitore sovraccarico',
    'no provider for texts': 'nessun fornitore per gli SMS',
    'no provider for calls': 'nessun fornitore per le chiamate',
    'outbox not writable': 'posta in uscita non scrivibile',
    'modem timeout': 'il modem non risponde',
    'modem down': 'modem non disponibile',
    'modem error': 'errore del modem',
    'spool missing': 'cartella di spool mancante',
    'spool not writable': 'cartella di spool non scrivibile',
    'spool full': 'cartella di spool piena',
  },
  upstream: (status) => `il server remoto risponde HTTP ${status}`,
  remarks: {
    heardBy: (gateway) => `nessuna posizione GPS; ricevuto dal gateway ${gateway}`,
    earlierFix: (time) => `posizione rilevata: ${time}, non al momento della pressione`,
  },
  wordRefusals: {
    taken_by_another: 'Qualcuno è stato più veloce e ha preso in carico questo allarme.',
    undo_too_late:
      'È stato preso in carico più di un minuto fa. Se nessuno aiuta, inviate di nuovo l’allarme ai contatti.',
    incident_closed: 'Qualcuno è stato più veloce: questo allarme è già terminato.',
    incident_open: 'Un allarme di questa persona è ancora aperto. Prima terminatelo.',
    incident_held:
      'Questo allarme proviene da un backup ripristinato e per esso non si invia nulla. Prima riprendete l’invio.',
    note_limit: 'Questo allarme contiene già il numero massimo di note.',
    timer_over: 'Il timer è già terminato, oppure è scaduto e ha generato un SOS. In tal caso terminate l’SOS.',
    timer_limit: 'Per questa persona è già attivo il numero massimo di timer. Prima terminatene uno.',
    token_limit: 'Ci sono troppi token. Prima revocatene uno.',
    all_clear_pending:
      'I contatti stanno ancora ricevendo l’avviso che l’ultimo allarme è terminato. Riprovate tra qualche minuto.',
    simulation_changed:
      'L’applicazione Simulation è stata modificata e potrebbe avvisare qualcuno. Prima ripristinatela.',
    text_is_built_in: 'Questo è già il testo predefinito.',
    no_target: 'L’applicazione non ha un indirizzo per questo canale. Prima configuratelo.',
    url_missing: 'Inserite l’indirizzo a cui inviare.',
    dev_eui_registered: 'Questo DevEUI è già registrato con un’altra grafia. Usate quella.',
  },
}
