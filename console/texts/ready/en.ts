/** Texts about exercises and readiness. */
export const ready = {
  drills: {
    open: (count: number) => (count === 1 ? '1 EXERCISE' : `${count} EXERCISES`),
    nobodyInDanger: 'Nobody is in danger.',
    isOne: 'EXERCISE: nobody is in danger, and the position is invented. Any SOS without this word is real.',
    end: 'End the exercise',
    endAsk: 'End this exercise?',
    endMeans: 'Everyone who was alerted is told that the exercise is over.',
    title: 'Exercises',
    last90: 'The last 90 days',
    start: 'Start an exercise',
    startAsk: (name: string) => `Start an exercise for ${name}?`,
    startAskAll: (name: string) => `Start an exercise for everyone in ${name}?`,
    everyone: 'One exercise for each enabled user, up to 100.',
    toContacts: 'Send it to the contacts’ phones',
    toOutbox: 'No phone rings: SMS and calls stay in the outbox. Chat and webhook are notified.',
    phonesRing: (names: string) =>
      `Phones will ring. These people get messages that begin with EXERCISE: ${names}. Tell them beforehand.`,
    phonesRingAll:
      'Phones will ring. All contacts of these users get messages that begin with EXERCISE. Tell them beforehand.',
    noContacts: 'No emergency contacts: nobody would be alerted.',
    realWins: 'A real SOS ends the exercise and is sent as usual. Otherwise it ends automatically after 30 minutes.',
    started: (count: number) => `Exercises started: ${count}.`,
    notStarted: (name: string, why: string) => `${name}: not started, ${why}.`,
    passedOver: {
      incident_open: 'because a real alarm is open',
      drill_open: 'because one is already under way',
      too_many_drills: 'because this application has had too many in 24 hours',
      drilled_lately: 'because these contacts had one within the last hour',
    },
    endOpen: 'End open exercises',
    endOpenAsk: (name: string) => `End the open exercises of ${name}?`,
    ended: (count: number) => `Exercises ended: ${count}.`,
    report: 'How the exercise went',
    toPhones: 'To the contacts’ phones',
    toTheOutbox: 'To the outbox',
    went: 'Sent to',
    firstAnswer: 'First answer',
    noAnswer: 'no answer',
    answer: 'Answer',
    ways: 'Messages',
    failed: 'Failed',
    nothing: 'none',
    after: (seconds: number | null) =>
      seconds === null ? 'no answer' : seconds < 120 ? `after ${seconds} s` : `after ${Math.round(seconds / 60)} min`,
    overtaken: 'A real SOS, or a restore, ended it.',
    only: 'Exercises instead of alarms',
  },
}

export type ReadyTexts = typeof ready
