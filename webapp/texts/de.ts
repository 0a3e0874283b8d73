import type { Texts } from './en.ts'

export const de: Texts = {
  language: 'Sprache',
  notJoined: 'Diese App ist noch nicht eingerichtet. Öffne den Link oder scanne den Code, den du bekommen hast.',
  call: (number) => `${number} anrufen`,
}
