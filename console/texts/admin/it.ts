import type { AdminTexts } from './en.ts'

export const admin: AdminTexts = {
  account: {
    ofToken: 'Avete effettuato l’accesso con un token, che non ha password.',
    password: 'Password',
    present: 'Password attuale',
    newPassword: 'Nuova password',
    again: 'Ripetete la nuova password',
    differs: 'Le due nuove password sono diverse.',
    change: 'Cambia password',
    changed: 'La password è cambiata. Altrove l’accesso è stato chiuso.',
    codes: 'Codici di recupero',
    codesMean: 'Ognuno vale una volta al posto dell’app di autenticazione, per la notte in cui il telefono manca.',
    codesLeft: (count) => (count === 1 ? 'Resta 1 codice.' : `Restano ${count} codici.`),
    renew: 'Crea nuovi codici',
    sessions: 'Dove avete effettuato l’accesso',
    browser: 'Browser',
    thisOne: 'questo',
    address: 'Indirizzo',
    seen: 'Ultima attività',
    end: 'Esci',
    endOthers: 'Esci da tutti gli altri',
  },
  proof: {
    title: 'Siete ancora voi?',
    why: 'Questo dà un accesso duraturo. Inserite la password o le sei cifre dell’app di autenticazione. Vale dieci minuti.',
    given: 'Password o codice',
    go: 'Continua',
  },
}
