import type { SetupTexts } from './en.ts'

export const setup: SetupTexts = {
  setup: {
    title: 'Tocsin einrichten',
    step: (step, of) => `Schritt ${step} von ${of}`,
    intro: 'Hier kann sich noch niemand anmelden. Sie werden der erste Administrator.',
    loginHint: 'Ein kurzer Name oder eine E-Mail-Adresse, ohne Leerzeichen.',
    badLogin: 'Nur Buchstaben ohne Umlaute und Akzente, Ziffern und . _ @ + -',
    name: 'Ihr Name',
    nameHint: 'Ihr Team sieht ihn bei allem, was Sie tun.',
    next: 'Weiter',
    app: 'Ihr zweiter Faktor',
    back: 'Zurück',
    codes: 'Ihre Wiederherstellungscodes',
    done: 'Ich habe sie gesichert: weiter zu den ersten Schritten',
    signIn: 'Stattdessen anmelden',
    over: 'Diese Adresse gilt nicht mehr',
  },
  onThisDevice: 'Ist die App auf diesem Gerät? Hier öffnen',
  setupRefusals: {
    setup_not_found:
      'Sie wurde benutzt, ist abgelaufen oder wurde ersetzt. Für eine neue Adresse starten Sie Tocsin neu oder führen auf dem Server aus: tocsin operator add LOGIN --role admin',
  },
}
