import type { PersonNews } from '../incident/person-news.ts'
import type { TalkLineView } from '../incident/talk.ts'
import { MAX_NAME_LENGTH, neutralName, shortened } from '../text/person-name.ts'
import { filled, type Language, phrases } from '../text/phrases.ts'
import { lineText } from '../text/quick-replies.ts'

/** The rest is in the app. */
const MAX_SHOWN_TEXT = 200

/** `news`: all that a screen shows, unless the person chose the whole text. */
type PushWords = {
  readonly news: string
  readonly coming: string
  readonly calling: string
  readonly answered: string
  readonly desk: string
  readonly withdrawn: string
  readonly overdue: string
  readonly overFromPhone: string
  readonly overAlone: string
  readonly overBy: string
  readonly over: string
  /** For a message by an operator. */
  readonly deskSays: string
}

const words: Readonly<Record<Language, PushWords>> = {
  en: {
    news: 'News in {app}',
    coming: '{name} is coming, in about {n} min.',
    calling: '{name} is calling you.',
    answered: '{name} has answered your alarm.',
    desk: 'The rescue desk has answered your alarm.',
    withdrawn: 'The person who answered can no longer help. The others are being alerted.',
    overdue: 'You did not report back in time. Your contacts are being alerted. Are you fine? Open the app.',
    overFromPhone: 'Your alarm was ended from one of your phones. Still in danger? Press again.',
    overAlone: 'Your alarm was closed automatically. Still in danger? Press again.',
    overBy: '{name} has ended your alarm. Still in danger? Press again.',
    over: 'Your alarm is over. Still in danger? Press again.',
    deskSays: 'Rescue desk, {name}: {text}',
  },
  de: {
    news: 'Neuigkeiten in {app}',
    coming: '{name} kommt, in etwa {n} min.',
    calling: '{name} ruft dich an.',
    answered: '{name} hat auf deinen Alarm geantwortet.',
    desk: 'Die Leitstelle hat auf deinen Alarm geantwortet.',
    withdrawn: 'Wer geantwortet hat, kann nicht mehr helfen. Die anderen werden alarmiert.',
    overdue:
      'Du hast dich nicht rechtzeitig zurückgemeldet. Deine Kontakte werden alarmiert. Geht es dir gut? Öffne die App.',
    overFromPhone: 'Dein Alarm wurde von einem deiner Handys beendet. Noch in Gefahr? Drücke noch einmal.',
    overAlone: 'Dein Alarm wurde automatisch geschlossen. Noch in Gefahr? Drücke noch einmal.',
    overBy: '{name} hat deinen Alarm beendet. Noch in Gefahr? Drücke noch einmal.',
    over: 'Dein Alarm ist beendet. Noch in Gefahr? Drücke noch einmal.',
    deskSays: 'Leitstelle, {name}: {text}',
  },
  fr: {
    news: 'Du nouveau dans {app}',
    coming: '{name} arrive, dans {n} min environ.',
    calling: '{name} vous appelle.',
    answered: '{name} a répondu à votre alerte.',
    desk: 'Le centre d’alerte a répondu à votre alerte.',
    withdrawn: 'La personne qui avait répondu ne peut plus aider. Les autres sont alertés.',
    overdue:
      'Vous n’avez pas donné de nouvelles à temps. Vos contacts sont alertés. Tout va bien ? Ouvrez l’application.',
    overFromPhone: 'Votre alerte a été terminée depuis l’un de vos téléphones. Toujours en danger ? Appuyez à nouveau.',
    overAlone: 'Votre alerte a été close automatiquement. Toujours en danger ? Appuyez à nouveau.',
    overBy: '{name} a mis fin à votre alerte. Toujours en danger ? Appuyez à nouveau.',
    over: 'Votre alerte est terminée. Toujours en danger ? Appuyez à nouveau.',
    deskSays: 'Centre d’alerte, {name}\u00a0: {text}',
  },
  it: {
    news: 'Novità in {app}',
    coming: '{name} sta arrivando, tra circa {n} min.',
    calling: '{name} ti sta chiamando.',
    answered: '{name} ha risposto al tuo allarme.',
    desk: 'La centrale operativa ha risposto al tuo allarme.',
    withdrawn: 'Chi aveva risposto non può più aiutare. Gli altri vengono avvisati.',
    overdue: 'Non hai dato notizie in tempo. I tuoi contatti vengono avvisati. Stai bene? Apri l’app.',
    overFromPhone: 'Il tuo allarme è stato terminato da uno dei tuoi telefoni. Ancora in pericolo? Premi di nuovo.',
    overAlone: 'Il tuo allarme è stato chiuso automaticamente. Ancora in pericolo? Premi di nuovo.',
    overBy: '{name} ha terminato il tuo allarme. Ancora in pericolo? Premi di nuovo.',
    over: 'Il tuo allarme è terminato. Ancora in pericolo? Premi di nuovo.',
    deskSays: 'Centrale operativa, {name}: {text}',
  },
  es: {
    news: 'Novedades en {app}',
    coming: '{name} está en camino, llega en unos {n} min.',
    calling: '{name} te está llamando.',
    answered: '{name} ha respondido a tu alarma.',
    desk: 'La central ha respondido a tu alarma.',
    withdrawn: 'Quien respondió ya no puede ayudar. Se avisa a los demás.',
    overdue: 'No has dado señales a tiempo. Se está avisando a tus contactos. ¿Estás bien? Abre la app.',
    overFromPhone: 'Tu alarma se terminó desde uno de tus teléfonos. ¿Sigues en peligro? Pulsa otra vez.',
    overAlone: 'Tu alarma se cerró automáticamente. ¿Sigues en peligro? Pulsa otra vez.',
    overBy: '{name} ha terminado tu alarma. ¿Sigues en peligro? Pulsa otra vez.',
    over: 'Tu alarma ha terminado. ¿Sigues en peligro? Pulsa otra vez.',
    deskSays: 'Central, {name}: {text}',
  },
}

const shownName = (name: string): string => shortened(neutralName(name), MAX_NAME_LENGTH)

/** All that a screen shows where the person did not choose more: neither what happened nor to whom. */
export const pushTitle = (language: Language, app: string): string =>
  filled(words[language].news, { app: shownName(app) || 'Tocsin' })

/** The whole text. Holds no position. */
export function personNewsText(language: Language, news: PersonNews): string {
  const own = words[language]
  const named = (phrase: string, name: string, n = 0): string =>
    filled(phrase, { name: shownName(name) || phrases[language].somebody, n: String(n) })
  switch (news.kind) {
    case 'coming':
      return named(own.coming, news.name, news.etaMinutes)
    case 'calling':
    case 'answered':
      return news.name === null ? own.desk : named(own[news.kind], news.name)
    case 'withdrawn':
    case 'overdue':
      return own[news.kind]
    case 'over':
      if (news.endedBy === 'user') return own.overFromPhone
      if (news.endedBy === 'system') return own.overAlone
      return news.name === null ? own.over : named(own.overBy, news.name)
    default:
      return news satisfies never
  }
}

/** The full text of a message to the person. */
export function talkPushText(language: Language, line: TalkLineView): string {
  const name = shownName(line.from.name) || phrases[language].somebody
  const text = shortened(lineText(line, language), MAX_SHOWN_TEXT)
  return line.from.kind === 'operator' ? filled(words[language].deskSays, { name, text }) : `${name}: ${text}`
}
