import type { Language } from '../text/phrases.ts'

/**
 * Behind the sentence of an alarm that names a device which is paired with nobody: the person in danger may not be the
 * one whose session sent it. They keep to the GSM 7-bit alphabet. rules.md#unknown-devices.
 */
export const unknownDeviceWords: Readonly<Record<Language, string>> = {
  en: 'Sent by device {device}, owner unknown.',
  de: 'Gesendet von Gerät {device}, Besitzer unbekannt.',
  fr: "Envoyé par l'appareil {device}, porteur inconnu.",
  it: 'Inviato dal dispositivo {device}, proprietario sconosciuto.',
  es: 'Enviado por el dispositivo {device}, titular desconocido.',
}
