import type { AdminTexts } from './en.ts'

export const admin: AdminTexts = {
  account: {
    ofToken: 'Sie sind mit einem Token angemeldet. Es hat kein Passwort.',
    password: 'Passwort',
    present: 'Jetziges Passwort',
    newPassword: 'Neues Passwort',
    again: 'Neues Passwort wiederholen',
    differs: 'Die beiden neuen Passwörter sind verschieden.',
    change: 'Passwort ändern',
    changed: 'Das Passwort ist geändert. Überall sonst sind Sie abgemeldet.',
    codes: 'Ersatzcodes',
    codesMean: 'Jeder gilt einmal anstelle der Authenticator-App: für die Nacht, in der Ihr Telefon fehlt.',
    codesLeft: (count) => (count === 1 ? 'Noch 1 Code übrig.' : `Noch ${count} Codes übrig.`),
    renew: 'Neue Codes erstellen',
    sessions: 'Wo Sie angemeldet sind',
    browser: 'Browser',
    thisOne: 'dieser',
    address: 'Adresse',
    seen: 'Zuletzt aktiv',
    end: 'Abmelden',
    endOthers: 'Alle anderen abmelden',
  },
  proof: {
    title: 'Sind Sie es noch?',
    why: 'Das gibt dauerhaft Zugang. Geben Sie Ihr Passwort ein oder die sechs Ziffern aus Ihrer Authenticator-App. Es gilt zehn Minuten.',
    given: 'Passwort oder Code',
    go: 'Weiter',
  },
}
