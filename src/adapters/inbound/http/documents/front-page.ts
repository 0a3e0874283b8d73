import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Language, textLanguage } from '../../../../core/text/phrases.ts'
import { plainDocument } from '../tracking/document.ts'
import { html } from '../tracking/html.ts'
import { languagesOf } from '../tracking/language.ts'
import { pageHeaders } from '../tracking/style.ts'

/** The texts of each language: a question and its answer for each kind of visitor. */
const texts = {
  en: {
    title: 'Emergency alerts',
    what: 'This server receives SOS alerts from apps and trackers and notifies the people who can help.',
    danger: 'If someone’s life is in danger, call the emergency services first.',
    message: [
      'Did you get a text message?',
      'Open the complete link in it. This page is only the beginning of that address and doesn’t show any alerts.',
    ],
    help: ['Do you need help yourself?', 'Use your app or tracker. You can’t raise an alarm on this page.'],
    developers: ['For developers:', 'how to connect an app'],
  },
  de: {
    title: 'Notfall-Alarme',
    what: 'Dieser Server empfängt SOS-Alarme von Apps und Trackern und benachrichtigt, wer helfen kann.',
    danger: 'Ist ein Leben in Gefahr, rufen Sie zuerst den Notruf an.',
    message: [
      'Haben Sie eine SMS bekommen?',
      'Öffnen Sie den ganzen Link darin. Diese Seite ist nur der Anfang der Adresse und zeigt keine Alarme.',
    ],
    help: [
      'Brauchen Sie selbst Hilfe?',
      'Nehmen Sie Ihre App oder Ihren Tracker. Hier können Sie keinen Alarm auslösen.',
    ],
    developers: ['Für die Entwicklung:', 'wie eine App angebunden wird (auf Englisch)'],
  },
  fr: {
    title: 'Alertes de secours',
    what: 'Ce serveur reçoit les alertes SOS d’applications et de balises et prévient les personnes qui peuvent aider.',
    danger: 'Si une vie est en danger, appelez d’abord les secours.',
    message: [
      'Avez-vous reçu un SMS\u00a0?',
      'Ouvrez le lien complet qu’il contient. Cette page n’est que le début de l’adresse et n’affiche aucune alerte.',
    ],
    help: [
      'Avez-vous vous-même besoin d’aide\u00a0?',
      'Utilisez votre application ou votre balise. On ne peut pas donner l’alerte sur cette page.',
    ],
    developers: ['Pour le développement\u00a0:', 'comment connecter une application (en anglais)'],
  },
  it: {
    title: 'Allarmi di emergenza',
    what: 'Questo server riceve allarmi SOS da app e localizzatori e avvisa chi può aiutare.',
    danger: 'Se c’è una vita in pericolo, chiami prima i soccorsi.',
    message: [
      'Ha ricevuto un SMS?',
      'Apra il link completo che contiene. Questa pagina è solo l’inizio dell’indirizzo e non mostra allarmi.',
    ],
    help: [
      'Ha bisogno di aiuto?',
      'Usi la Sua app o il Suo localizzatore. Da questa pagina non si può dare l’allarme.',
    ],
    developers: ['Per chi sviluppa:', 'come collegare un’app (in inglese)'],
  },
  es: {
    title: 'Alertas de emergencia',
    what: 'Este servidor recibe alertas SOS de aplicaciones y localizadores y avisa a quienes pueden ayudar.',
    danger: 'Si hay una vida en peligro, llame primero a emergencias.',
    message: [
      '¿Ha recibido un SMS?',
      'Abra el enlace completo que contiene. Esta página es solo el principio de esa dirección y no muestra alertas.',
    ],
    help: ['¿Necesita ayuda usted?', 'Use su aplicación o su localizador. En esta página no se puede dar la alarma.'],
    developers: ['Para desarrollar:', 'cómo conectar una aplicación (en inglés)'],
  },
} as const satisfies Readonly<Record<Language, unknown>>

function page(language: Language, docs: boolean): string {
  const { title, what, danger, message, help, developers } = texts[language]
  const said = [message, help].map(([question, answer]) => html`<p><strong>${question}</strong> ${answer}</p>\n`)
  const main = html`<p>${danger}</p>
${said}${docs ? html`<p class="quiet">${developers[0]} <a href="/docs">${developers[1]}</a>.</p>\n` : null}`
  return plainDocument({ language, look: 'over', title, lead: html`${what}`, main })
}

/**
 * `/`: says what this host is, for visitors who shortened a link or are just looking. It reveals neither details of the
 * site nor the version.
 */
export const sendFrontPage = (request: FastifyRequest, reply: FastifyReply, docs: boolean): FastifyReply =>
  reply.headers(pageHeaders).send(page(textLanguage(languagesOf(request.headers['accept-language'])), docs))
