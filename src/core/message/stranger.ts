import type { Application } from '../account/application.ts'
import type { Gateway } from '../field/lorawan/network-event.ts'
import { type Language, textLanguage } from '../text/phrases.ts'

/** For the people who run the service. `{device}`: its DevEUI. `{gateway}`: its id, with its place if known. */
const texts: Readonly<Record<Language, { readonly sos: string; readonly heardBy: string }>> = {
  en: {
    sos: 'SOS from a LoRaWAN device that is not paired with anyone: {device}. Nobody has been alerted. Find out who carries it, and pair it.',
    heardBy: 'Heard by gateway {gateway}.',
  },
  de: {
    sos: 'SOS von einem LoRaWAN-Gerät, das niemandem zugeordnet ist: {device}. Es wurde niemand alarmiert. Bitte klären Sie, wer es bei sich hat, und ordnen Sie es zu.',
    heardBy: 'Empfangen von Gateway {gateway}.',
  },
  fr: {
    sos: "SOS d'un appareil LoRaWAN qui n'est associé à personne : {device}. Personne n'a été alerté. Identifiez la personne qui le porte, puis associez l'appareil.",
    heardBy: 'Reçu par la passerelle {gateway}.',
  },
  es: {
    sos: 'SOS de un dispositivo LoRaWAN que no está asociado a nadie: {device}. No se ha avisado a nadie. Averigüe quién lo lleva y asócielo.',
    heardBy: 'Recibido por la pasarela {gateway}.',
  },
  it: {
    sos: 'SOS da un dispositivo LoRaWAN non associato a nessuno: {device}. Nessuno è stato avvisato. Verifichi chi lo porta con sé e lo associ.',
    heardBy: 'Ricevuto dal gateway {gateway}.',
  },
}

/** The SOS of a device that nobody has paired, for the application's chat. */
export function strangerText({ language }: Pick<Application, 'language'>, devEui: string, gateway: Gateway | null) {
  const { sos, heardBy } = texts[textLanguage([language])]
  const said = sos.replace('{device}', devEui)
  return gateway === null ? said : `${said} ${heardBy.replace('{gateway}', () => gatewayText(gateway))}`
}

/** A gateway with its position, as messages and remarks name it. */
export const gatewayText = ({ id, latitude, longitude, rssi }: Gateway): string => {
  const place = latitude === null || longitude === null ? [] : [`${latitude.toFixed(5)}, ${longitude.toFixed(5)}`]
  const details = [...place, ...(rssi === null ? [] : [`${Math.round(rssi)} dBm`])].join('; ')
  const name = id.replace(/[^\w.-]/g, '')
  return details === '' ? name : `${name} (${details})`
}
