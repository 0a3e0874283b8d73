import type { Texts } from './en.ts'

export const it: Texts = {
  language: 'Lingua',
  notJoined: 'Questa app non è ancora configurata. Apri il link o scansiona il codice che hai ricevuto.',
  call: (number) => `Chiama il ${number}`,
}
