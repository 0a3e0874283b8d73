import type { TextChannel } from '../incident/delivery.ts'
import { type Language, textLanguage } from '../text/phrases.ts'

type Said = Readonly<Record<Language, (code: string) => string>>

/** The test messages. A text fits one GSM-7 segment; a call says it twice. */
const texts: Readonly<Record<TextChannel, Said>> = {
  sms: {
    en: (code) => `Tocsin: enter ${code} in the console to send messages this way.`,
    de: (code) => `Tocsin: Geben Sie ${code} in der Konsole ein, um Nachrichten so zu senden.`,
    fr: (code) => `Tocsin : saisissez ${code} dans la console pour envoyer les messages ainsi.`,
    es: (code) => `Tocsin: escriba ${code} en la consola para enviar así los mensajes.`,
    it: (code) => `Tocsin: inserisca ${code} nella console per inviare i messaggi in questo modo.`,
  },
  voice: {
    en: (code) => `This is Tocsin, with a code for the console. The code is: ${code}.`,
    de: (code) => `Hier ist Tocsin mit einem Code für die Konsole. Der Code lautet: ${code}.`,
    fr: (code) => `Ici Tocsin, avec un code pour la console. Le code est : ${code}.`,
    es: (code) => `Aquí Tocsin, con un código para la consola. El código es: ${code}.`,
    it: (code) => `Qui Tocsin, con un codice per la console. Il codice è: ${code}.`,
  },
}

/** Read in groups of four; heard digit by digit, with a pause after four. */
const shown: Readonly<Record<TextChannel, (code: string) => string>> = {
  sms: (code) => code.replace(/(\d{4})(?=\d)/g, '$1 '),
  voice: (code) =>
    [...code]
      .map((digit, place) => (place % 4 === 3 ? `${digit}.` : `${digit},`))
      .join(' ')
      .slice(0, -1),
}

/** `preferred`: BCP 47. `code`: its digits. */
export function setupText(
  preferred: readonly string[],
  code: string,
  channel: TextChannel,
): { readonly text: string; readonly language: string } {
  const language = textLanguage(preferred)
  return { text: texts[channel][language](shown[channel](code)), language }
}
