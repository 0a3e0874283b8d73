/**
 * The texts of a printed invitation to the app, in the language of those who read it: they are people of the
 * application, not operators.
 */
const en = {
  poster: 'SOS with your phone',
  personal: 'Your invitation',
  steps: [
    'Point your phone’s camera at the code and open the link.',
    'Enter your name and number, and who should be alerted.',
    'Practise once: nobody is alerted. Then put the app on your home screen.',
  ],
  first: 'First: let your phone trust this site',
  trust: (address: string) =>
    `Open ${address} (the browser warns once). Go on only if the page shows exactly this fingerprint:`,
  notInstead: (number: string) => `It needs coverage and does not replace calling ${number}.`,
  once: (date: string) => `Works once, until ${date}.`,
}
export type SheetWords = typeof en

const de: SheetWords = {
  poster: 'SOS mit deinem Handy',
  personal: 'Deine Einladung',
  steps: [
    'Richte die Kamera deines Handys auf den Code und öffne den Link.',
    'Gib deinen Namen und deine Nummer ein, und wer alarmiert werden soll.',
    'Übe einmal: Niemand wird alarmiert. Leg die App dann auf den Startbildschirm.',
  ],
  first: 'Zuerst: Dein Handy muss dieser Seite vertrauen',
  trust: (address) =>
    `Öffne ${address} (der Browser warnt einmal). Mach nur weiter, wenn dort genau dieser Fingerabdruck steht:`,
  notInstead: (number) => `Die App braucht Empfang und ersetzt nicht den Notruf ${number}.`,
  once: (date) => `Gilt einmal, bis ${date}.`,
}
const fr: SheetWords = {
  poster: 'SOS avec ton téléphone',
  personal: 'Ton invitation',
  steps: [
    'Vise le code avec l’appareil photo de ton téléphone et ouvre le lien.',
    'Saisis ton nom et ton numéro, et qui doit être alerté.',
    'Entraîne-toi une fois\u00a0: personne n’est alerté. Ajoute ensuite l’application à l’écran d’accueil.',
  ],
  first: 'D’abord\u00a0: ton téléphone doit faire confiance à ce site',
  trust: (address) =>
    `Ouvre ${address} (le navigateur avertit une fois). Ne continue que si la page affiche exactement cette empreinte\u00a0:`,
  notInstead: (number) => `Il faut du réseau, et cela ne remplace pas l’appel d’urgence au ${number}.`,
  once: (date) => `Valable une fois, jusqu’au ${date}.`,
}
const it: SheetWords = {
  poster: 'SOS con il tuo telefono',
  personal: 'Il tuo invito',
  steps: [
    'Inquadra il codice con la fotocamera del telefono e apri il collegamento.',
    'Inserisci il tuo nome, il tuo numero e chi avvisare.',
    'Prova una volta: nessuno viene avvisato. Poi aggiungi l’app alla schermata Home.',
  ],
  first: 'Prima: il tuo telefono deve fidarsi di questo sito',
  trust: (address) =>
    `Apri ${address} (il browser avverte una volta). Continua solo se la pagina mostra esattamente questa impronta:`,
  notInstead: (number) => `Serve campo, e non sostituisce la chiamata di emergenza al ${number}.`,
  once: (date) => `Vale una volta, fino a: ${date}.`,
}
const es: SheetWords = {
  poster: 'SOS con tu teléfono',
  personal: 'Tu invitación',
  steps: [
    'Apunta al código con la cámara del teléfono y abre el enlace.',
    'Escribe tu nombre y tu número, y a quién hay que avisar.',
    'Practica una vez: no se avisa a nadie. Después añade la app a la pantalla de inicio.',
  ],
  first: 'Primero: tu teléfono tiene que confiar en este sitio',
  trust: (address) =>
    `Abre ${address} (el navegador avisa una vez). Sigue solo si la página muestra exactamente esta huella:`,
  notInstead: (number) => `Necesita cobertura y no sustituye la llamada de emergencia al ${number}.`,
  once: (date) => `Vale una vez, hasta: ${date}.`,
}

const all: Readonly<Record<string, SheetWords>> = { en, de, fr, it, es }

/** The languages of a sheet. */
export const sheetLanguages = Object.keys(all)

/** The language of a sheet for people of an application. `language`: BCP 47, the application's. */
export function sheetLanguageOf(language: string): string {
  const [own = ''] = language.toLowerCase().split('-')
  return Object.hasOwn(all, own) ? own : 'en'
}

export const sheetWords = (language: string): SheetWords => all[language] ?? en
