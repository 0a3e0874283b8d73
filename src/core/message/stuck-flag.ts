import { MAX_NAME_LENGTH, shortened, visibleText } from '../text/person-name.ts'
import { type Language, textLanguage } from '../text/phrases.ts'

/** For the people who run the service. `{device}`: its hardware id. */
const texts: Readonly<Record<Language, string>> = {
  en: 'The SOS flag of {device} is still set after its last alarm was closed, so it has raised a new one. Treat it as real until you have reached the person. If the flag is stuck, reset the tracker; while it stays set, the next alarm comes {minutes} min after this one is closed.',
  de: 'Die SOS-Meldung von {device} ist nach dem Ende des letzten Alarms noch immer aktiv und hat einen neuen Alarm ausgelöst. Behandeln Sie ihn als echt, bis Sie die Person erreicht haben. Falls die Meldung hängt, setzen Sie das Gerät zurück; solange sie aktiv bleibt, folgt der nächste Alarm {minutes} min nach dessen Ende.',
  fr: "Le signal SOS de {device} est toujours actif après la clôture de la dernière alerte et en a déclenché une nouvelle. Considérez-la comme réelle tant que vous n'avez pas joint la personne. Si le signal est bloqué, réinitialisez l'appareil ; tant qu'il reste actif, l'alerte suivante viendra {minutes} min après la clôture de celle-ci.",
  es: 'La señal SOS de {device} sigue activa después de cerrarse la última alarma y ha provocado una nueva. Considérela real hasta haber hablado con la persona. Si la señal está bloqueada, reinicie el dispositivo; mientras siga activa, la próxima alarma llegará {minutes} min después de cerrarse esta.',
  it: "Il segnale SOS di {device} è ancora attivo dopo la chiusura dell'ultimo allarme e ne ha generato uno nuovo. Lo consideri reale finché non ha raggiunto la persona. Se il segnale è bloccato, reimposti il dispositivo; finché resta attivo, il prossimo allarme arriverà {minutes} min dopo la chiusura di questo.",
}

/** The chat post about an SOS flag that looks stuck. `heldMinutes`: until it can alarm again. */
export function stuckFlagText(
  language: string,
  { hardwareId, heldMinutes }: { readonly hardwareId: string; readonly heldMinutes: number },
): string {
  // The id as registered, so that it can be searched for. It comes from the operator, not from a user.
  const device = shortened(visibleText(hardwareId).replaceAll('\n', ' '), MAX_NAME_LENGTH)
  return texts[textLanguage([language])].replace('{minutes}', String(heldMinutes)).replace('{device}', () => device)
}
