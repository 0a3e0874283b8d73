import type { SetupTexts } from './en.ts'

export const setup: SetupTexts = {
  setup: {
    title: 'Configurare Tocsin',
    step: (step, of) => `Passo ${step} di ${of}`,
    intro: 'Qui nessuno può ancora accedere. Lei diventa il primo amministratore.',
    loginHint: 'Un nome breve o un indirizzo e-mail, senza spazi.',
    badLogin: 'Solo lettere senza accenti, cifre e . _ @ + -',
    name: 'Il Suo nome',
    nameHint: 'Il Suo team lo vede accanto a ciò che fa.',
    next: 'Avanti',
    app: 'Il Suo secondo fattore',
    back: 'Indietro',
    codes: 'I Suoi codici di recupero',
    done: 'Li ho conservati: continua con i primi passi',
    signIn: 'Accedi invece',
    over: 'Questo indirizzo non è più valido',
  },
  onThisDevice: 'L’app è su questo dispositivo? La apra qui',
  setupRefusals: {
    setup_not_found:
      'È stato usato, è scaduto o è stato sostituito. Per averne uno nuovo riavvii Tocsin, oppure esegua sul server: tocsin operator add LOGIN --role admin',
  },
}
