import type { Phrases } from './phrases.ts'

export const de: Phrases = {
  alarm: 'SOS: {who} braucht Hilfe!',
  confirm: 'Bitte bestätigen:',
  times: 'Ausgelöst {pressed}, empfangen {received} UTC.',
  position: 'Position {age}: {map}',
  noPosition: 'Position unbekannt.',
  cancelled: 'Entwarnung: {who} hat den SOS-Ruf abgebrochen.',
  resolved: 'Entwarnung: Der SOS-Ruf von {who} wurde beendet.',
  over: 'Entwarnung: Der SOS-Ruf von {who} ist vorbei.',
  now: 'gerade eben',
  minutes: 'vor {n} Min.',
  hours: 'vor {n} Std.',
  days: 'vor {n} T.',
  test: 'TEST: Dies ist eine Probe von {app}. Es ist kein Notfall.',
  somebody: 'Jemand',
  spokenAlarm: 'Dies ist ein Notruf. {who} braucht Hilfe.',
  spokenPosition: 'Letzte bekannte Position, {age}: Breite {latitude}, Länge {longitude}.',
  spokenLink: 'Bitte öffnen Sie den Link in der SMS.',
}
