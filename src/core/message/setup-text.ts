import { type Language, textLanguage } from '../text/phrases.ts'

/** The text that proves a way of sending. GSM-7, and short: one segment. */
const texts: Readonly<Record<Language, (code: string) => string>> = {
  en: (code) => `Tocsin: enter ${code} in the console to send messages this way.`,
  de: (code) => `Tocsin: Geben Sie ${code} in der Konsole ein, um Nachrichten so zu senden.`,
  fr: (code) => `Tocsin : saisissez ${code} dans la console pour envoyer les messages ainsi.`,
  es: (code) => `Tocsin: escriba ${code} en la consola para enviar así los mensajes.`,
  it: (code) => `Tocsin: inserisca ${code} nella console per inviare i messaggi in questo modo.`,
}

/** `preferred`: BCP 47. `code`: in pairs of digits, to be read without mistakes. */
export function setupText(
  preferred: readonly string[],
  code: string,
): { readonly text: string; readonly language: string } {
  const language = textLanguage(preferred)
  return { text: texts[language](code.replace(/(\d{4})(?=\d)/g, '$1 ')), language }
}
