import type { Texts } from './en.ts'

export const fr: Texts = {
  language: 'Langue',
  notJoined: 'Cette appli n’est pas encore configurée. Ouvrez le lien ou scannez le code que vous avez reçu.',
  call: (number) => `Appeler le ${number}`,
}
