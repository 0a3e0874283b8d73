import type { ReadyTexts } from './en.ts'

export const ready: ReadyTexts = {
  drills: {
    open: (count) => (count === 1 ? '1 ÜBUNG' : `${count} ÜBUNGEN`),
    nobodyInDanger: 'Niemand ist in Gefahr.',
    isOne: 'ÜBUNG: Niemand ist in Gefahr, und der Standort ist erfunden. Jeder SOS-Ruf ohne dieses Wort ist echt.',
    end: 'Übung beenden',
    endAsk: 'Diese Übung beenden?',
    endMeans: 'Alle Alarmierten erfahren, dass die Übung beendet ist.',
    title: 'Übungen',
    last90: 'Die letzten 90 Tage',
    start: 'Übung starten',
    startAsk: (name) => `Übung für ${name} starten?`,
    startAskAll: (name) => `Übung für alle in ${name} starten?`,
    everyone: 'Eine Übung für jede nicht gesperrte Person, höchstens 100.',
    toContacts: 'An die Telefone der Kontakte senden',
    toOutbox: 'Kein Telefon klingelt: SMS und Anrufe bleiben im Postausgang. Chat und Webhook erhalten ihre Meldung.',
    phonesRing: (names) =>
      `Es klingeln Telefone. Diese Personen erhalten Nachrichten, die mit ÜBUNG beginnen: ${names}. Kündigen Sie es vorher an.`,
    phonesRingAll:
      'Es klingeln Telefone. Alle Kontakte dieser Personen erhalten Nachrichten, die mit ÜBUNG beginnen. Kündigen Sie es vorher an.',
    noContacts: 'Keine Notfallkontakte: Niemand würde alarmiert.',
    realWins:
      'Ein echter SOS-Ruf beendet die Übung und wird wie immer gesendet. Sonst endet sie automatisch nach 30 Minuten.',
    started: (count) => `Gestartete Übungen: ${count}.`,
    notStarted: (name, why) => `${name}: nicht gestartet, ${why}.`,
    passedOver: {
      incident_open: 'weil ein echter Alarm offen ist',
      drill_open: 'weil bereits eine läuft',
      too_many_drills: 'weil es in dieser Anwendung in 24 Stunden zu viele gab',
      drilled_lately: 'weil diese Kontakte in der letzten Stunde schon eine hatten',
    },
    endOpen: 'Offene Übungen beenden',
    endOpenAsk: (name) => `Die offenen Übungen von ${name} beenden?`,
    ended: (count) => `Beendete Übungen: ${count}.`,
    report: 'Wie die Übung verlief',
    toPhones: 'An die Telefone der Kontakte',
    toTheOutbox: 'In den Postausgang',
    went: 'Wohin',
    firstAnswer: 'Erste Antwort',
    noAnswer: 'keine Antwort',
    answer: 'Antwort',
    ways: 'Nachrichten',
    failed: 'Fehlgeschlagen',
    nothing: 'keine',
    after: (seconds) =>
      seconds === null ? 'keine Antwort' : seconds < 120 ? `nach ${seconds} s` : `nach ${Math.round(seconds / 60)} min`,
    overtaken: 'Ein echter SOS-Ruf oder eine Wiederherstellung hat sie beendet.',
    only: 'Übungen statt Alarme',
  },
}
