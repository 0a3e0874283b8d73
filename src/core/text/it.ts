import type { Phrases } from './phrases.ts'

export const it: Phrases = {
  alarm: 'SOS: {who} ha bisogno di aiuto!',
  confirm: 'Per favore, conferma:',
  times: 'Premuto {pressed}, ricevuto {received} UTC.',
  position: 'Posizione {age}: {map}',
  noPosition: 'Posizione sconosciuta.',
  cancelled: "Cessato allarme: {who} ha annullato l'SOS.",
  resolved: "Cessato allarme: l'SOS di {who} è stato chiuso.",
  over: "Cessato allarme: l'SOS di {who} è finito.",
  now: 'proprio ora',
  minutes: '{n} min fa',
  hours: '{n} h fa',
  days: '{n} g fa',
  test: 'PROVA: questo è un messaggio di prova di {app}. Nessuna emergenza.',
  somebody: 'Qualcuno',
  spokenAlarm: 'Questa è una chiamata di emergenza. {who} ha bisogno di aiuto.',
  spokenPosition: 'Ultima posizione nota, {age}: latitudine {latitude}, longitudine {longitude}.',
  spokenLink: "Per favore, apri il link nell'SMS.",
}
