import type { rules as en } from './en.ts'

export const rules: typeof en = {
  sections: {
    messages: 'Erste Nachrichten',
    calls: 'Anrufe',
    unanswered: 'Solange niemand antwortet',
    helped: 'Solange jemand hilft',
    end: 'Das Ende',
    machines: 'Chat, Webhook und Gateway',
  },
  means: {
    graceSeconds: (value) => `${value} s lang geht nichts hinaus: Wer in dieser Zeit abbricht, alarmiert niemanden.`,
    contactIntervalSeconds: (value) => `${value} s nach der SMS an einen Kontakt bekommt der nächste seine.`,
    ackTimeoutSeconds: (value) => `${value} s nach der SMS ohne Antwort wird der Kontakt angerufen.`,
    voiceAttempts: (value) => `Wer nicht abhebt, wird in einer Runde ${value}-mal angerufen.`,
    voiceRetrySeconds: (value) => `${value} s nach einem erfolglosen Anruf folgt der nächste.`,
    rounds: (value) => `Alle Kontakte werden ${value}-mal gleich hintereinander alarmiert, dann mit längeren Pausen.`,
    persistHours: (value) => `Weitere Runden folgen bis ${value} h nach dem letzten Drücken.`,
    realarmSeconds: (value) =>
      `Erneutes Drücken alarmiert wieder, wenn seit dem letzten Alarm ${value} s vergangen sind.`,
    watchMinutes: (value) => `${value} min nach einer Antwort wird nachgefragt.`,
    autoResolveHours: (value) => `${value} h nach dem letzten Drücken beendet der Dienst den Alarm und sagt es.`,
    httpAttempts: (value) => `Jede Nachricht wird ${value}-mal versucht.`,
    httpBackoffSeconds: (value) => `Pausen von ${value} s zwischen den Versuchen; die letzte wiederholt sich.`,
    httpTimeoutSeconds: (value) => `Ein Versuch ohne Antwort ist nach ${value} s gescheitert.`,
  },
  never: { persistHours: 'Keine weiteren Runden.', watchMinutes: 'Es wird nie nachgefragt.' },
}
