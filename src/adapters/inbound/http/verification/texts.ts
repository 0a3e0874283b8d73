import { ofName } from '../../../../core/text/grammar.ts'
import { type Language, textLanguage } from '../../../../core/text/phrases.ts'

/** All texts of the page that asks a contact. Names come last in a sentence or alone, so that they need no grammar. */
export type VerificationTexts = {
  readonly language: Language
  readonly somebody: string
  readonly title: (who: string) => string
  readonly what: (who: string, app: string) => string
  readonly agree: string
  readonly stranger: string
  readonly consent: string
  readonly confirmedTitle: string
  readonly confirmed: (who: string) => string
  readonly declinedTitle: string
  readonly declined: string
  readonly change: string
  readonly expiredTitle: string
  readonly expired: string
  readonly unknownTitle: string
  readonly unknown: string
  readonly failedTitle: string
  readonly failed: string
}

const texts: Readonly<Record<Language, VerificationTexts>> = {
  en: {
    language: 'en',
    somebody: 'Someone',
    title: (who) => `Are you an emergency contact of ${who}?`,
    what: (who, app) =>
      `If ${who} calls for help, ${app} sends you a text message with the location, and calls you if you don't answer.`,
    agree: 'Yes, alert me',
    stranger: "I don't know this person",
    consent: 'We record your consent and when you gave it. You can change your answer with this link for 7 days.',
    confirmedTitle: 'Thank you',
    confirmed: (who) =>
      `You are an emergency contact of ${who}. Save the number that texted you, so that you recognise it.`,
    declinedTitle: 'Thank you for telling us',
    declined: 'In an emergency you would be alerted last, and you would not be told where the person is.',
    change: 'Change my answer',
    expiredTitle: 'This link no longer works',
    expired: 'Please ask the person who named you to send a new one.',
    unknownTitle: 'Link not found',
    unknown: 'Please check that you opened the whole address, exactly as in the message.',
    failedTitle: "That didn't work",
    failed: "The service can't answer right now. Please try again.",
  },
  de: {
    language: 'de',
    somebody: 'Jemand',
    title: (who) => `Sind Sie Notfallkontakt von ${who}?`,
    what: (who, app) =>
      `Wenn ${who} um Hilfe ruft, erhalten Sie von ${app} eine SMS mit dem Standort und, falls Sie nicht antworten, einen Anruf.`,
    agree: 'Ja, alarmieren Sie mich',
    stranger: 'Ich kenne diese Person nicht',
    consent:
      'Wir speichern Ihre Zustimmung und ihren Zeitpunkt. Mit diesem Link können Sie Ihre Antwort 7 Tage lang ändern.',
    confirmedTitle: 'Danke',
    confirmed: (who) =>
      `Sie sind Notfallkontakt von ${who}. Speichern Sie die Nummer, von der die SMS kam, damit Sie sie wiedererkennen.`,
    declinedTitle: 'Danke für Ihre Antwort',
    declined: 'Im Notfall würden Sie als Letztes alarmiert, und Sie würden nicht erfahren, wo die Person ist.',
    change: 'Antwort ändern',
    expiredTitle: 'Dieser Link gilt nicht mehr',
    expired: 'Bitten Sie die Person, die Sie angegeben hat, um einen neuen.',
    unknownTitle: 'Link nicht gefunden',
    unknown: 'Bitte prüfen Sie, ob Sie die ganze Adresse geöffnet haben, genau wie in der Nachricht.',
    failedTitle: 'Das hat nicht geklappt',
    failed: 'Der Dienst kann gerade nicht antworten. Bitte versuchen Sie es noch einmal.',
  },
  fr: {
    language: 'fr',
    somebody: 'Quelqu’un',
    title: (who) => `Êtes-vous un contact d’urgence ${ofName(who)}\u00a0?`,
    what: (who, app) =>
      `Si ${who} appelle à l’aide, ${app} vous envoie un SMS avec la position et vous appelle si vous ne répondez pas.`,
    agree: 'Oui, alertez-moi',
    stranger: 'Je ne connais pas cette personne',
    consent:
      'Nous enregistrons votre accord et sa date. Pendant 7 jours, ce lien vous permet de modifier votre réponse.',
    confirmedTitle: 'Merci',
    confirmed: (who) =>
      `Vous êtes un contact d’urgence ${ofName(who)}. Enregistrez le numéro qui vous a écrit pour le reconnaître.`,
    declinedTitle: 'C’est noté',
    declined: 'En cas d’urgence, vous seriez alerté en dernier, sans connaître la position de la personne.',
    change: 'Modifier ma réponse',
    expiredTitle: 'Ce lien n’est plus valable',
    expired: 'Demandez-en un nouveau à la personne qui a donné votre numéro.',
    unknownTitle: 'Lien introuvable',
    unknown: 'Vérifiez que vous avez ouvert l’adresse complète, telle qu’elle figure dans le message.',
    failedTitle: 'Cela n’a pas fonctionné',
    failed: 'Le service ne peut pas répondre pour le moment. Veuillez réessayer.',
  },
  it: {
    language: 'it',
    somebody: 'Qualcuno',
    title: (who) => `Lei è un contatto di emergenza di ${who}?`,
    what: (who, app) => `Se ${who} chiede aiuto, ${app} Le invia un SMS con la posizione e La chiama se non risponde.`,
    agree: 'Sì, avvisatemi',
    stranger: 'Non conosco questa persona',
    consent: 'Registriamo il Suo consenso e quando lo ha dato. Per 7 giorni può cambiare la risposta con questo link.',
    confirmedTitle: 'Grazie',
    confirmed: (who) =>
      `Lei è un contatto di emergenza di ${who}. Salvi il numero da cui ha ricevuto l’SMS, per riconoscerlo.`,
    declinedTitle: 'Ne abbiamo preso nota',
    declined: 'In caso di emergenza verrebbe avvisato per ultimo e non saprebbe dove si trova la persona.',
    change: 'Cambia risposta',
    expiredTitle: 'Questo link non è più valido',
    expired: 'Ne chieda uno nuovo alla persona che ha dato il Suo numero.',
    unknownTitle: 'Link non trovato',
    unknown: 'Verifichi di aver aperto l’indirizzo completo, esattamente come nel messaggio.',
    failedTitle: 'Non ha funzionato',
    failed: 'Al momento il servizio non può rispondere. Riprovi.',
  },
  es: {
    language: 'es',
    somebody: 'Alguien',
    title: (who) => `¿Es usted contacto de emergencia de ${who}?`,
    what: (who, app) => `Si ${who} pide ayuda, ${app} le envía un SMS con la ubicación y le llama si no responde.`,
    agree: 'Sí, avísenme',
    stranger: 'No conozco a esta persona',
    consent: 'Guardamos su consentimiento y la fecha. Durante 7 días puede cambiar su respuesta con este enlace.',
    confirmedTitle: 'Gracias',
    confirmed: (who) => `Usted es contacto de emergencia de ${who}. Guarde el número que le escribió para reconocerlo.`,
    declinedTitle: 'Lo hemos anotado',
    declined: 'En una emergencia se le avisaría en último lugar y no sabría dónde está la persona.',
    change: 'Cambiar mi respuesta',
    expiredTitle: 'Este enlace ya no es válido',
    expired: 'Pida uno nuevo a la persona que dio su número.',
    unknownTitle: 'Enlace no encontrado',
    unknown: 'Compruebe que ha abierto la dirección completa, tal como aparece en el mensaje.',
    failedTitle: 'No ha funcionado',
    failed: 'El servicio no puede responder en este momento. Inténtelo de nuevo.',
  },
}

/** The texts in the first available of the wanted languages (BCP 47), or else in English. */
export const verificationTexts = (wanted: readonly string[]): VerificationTexts => texts[textLanguage(wanted)]
