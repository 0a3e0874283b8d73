import { withoutForeignAccents } from '../text/gsm7.ts'
import { shortened } from '../text/person-name.ts'
import { type Language, textLanguage } from '../text/phrases.ts'

const MAX_SITE_LENGTH = 40

const texts: Readonly<Record<Language, (site: string) => string>> = {
  en: (site) =>
    `${site}: this number is now on the on-call list. If nobody answers an alarm while you are on duty, you get an SMS and a call.`,
  de: (site) =>
    `${site}: Diese Nummer steht jetzt im Bereitschaftsplan. Beantwortet in Ihrer Bereitschaft niemand einen Alarm, erhalten Sie SMS und Anruf.`,
  fr: (site) =>
    `${site} : ce numéro figure au planning d'astreinte. Si personne ne répond à une alerte pendant votre astreinte, vous recevrez SMS et appel.`,
  es: (site) =>
    `${site}: este número figura en el plan de guardias. Si nadie responde a una alerta durante su guardia, recibirá un SMS y una llamada.`,
  it: (site) =>
    `${site}: questo numero è nel piano di reperibilità. Se nel Suo turno nessuno risponde a un allarme, riceverà un SMS e una chiamata.`,
}

/** Tells a number that it is on the on-call list. `language`: BCP 47; `site`: its host, or the product. */
export function onCallText(language: string, site: string): { readonly text: string; readonly language: Language } {
  const spoken = textLanguage([language])
  const name = shortened(site, MAX_SITE_LENGTH)
  return { text: withoutForeignAccents(texts[spoken](name)), language: spoken }
}
