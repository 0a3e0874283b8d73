const times = (value: string): string => (value === '1' ? 'once' : `${value} times`)

/** The rules of an application: their sections, and the meaning of each value. `value`: as typed. */
export const rules = {
  sections: {
    messages: 'First messages',
    calls: 'Calls',
    unanswered: 'While nobody answers',
    helped: 'While someone helps',
    end: 'The end',
    machines: 'Chat, webhook and gateway',
  },
  means: {
    graceSeconds: (value: string) => `Nothing is sent for ${value} s: until then a cancel alerts nobody.`,
    contactIntervalSeconds: (value: string) => `${value} s after one contact’s SMS, the next contact gets theirs.`,
    ackTimeoutSeconds: (value: string) => `${value} s after the SMS without an answer, the contact is called.`,
    voiceAttempts: (value: string) => `A contact who does not answer is called ${times(value)} in a round.`,
    voiceRetrySeconds: (value: string) => `${value} s after a failed call, the next one follows.`,
    rounds: (value: string) => `All contacts are alerted ${times(value)} in quick succession, then with longer pauses.`,
    persistHours: (value: string) => `Further rounds follow for ${value} h after the last press.`,
    realarmSeconds: (value: string) => `Another press alerts again if ${value} s have passed since the last alarm.`,
    watchMinutes: (value: string) => `${value} min after an answer, the helper is asked again.`,
    autoResolveHours: (value: string) => `${value} h after the last press, the service closes the alarm and says so.`,
    httpAttempts: (value: string) => `Each message is tried ${times(value)}.`,
    httpBackoffSeconds: (value: string) => `Pauses of ${value} s between the tries; the last one repeats.`,
    httpTimeoutSeconds: (value: string) => `A try without an answer has failed after ${value} s.`,
  } as Readonly<Record<string, (value: string) => string>>,
  never: { persistHours: 'No further rounds.', watchMinutes: 'Nobody is asked again.' } as Readonly<
    Record<string, string>
  >,
}
