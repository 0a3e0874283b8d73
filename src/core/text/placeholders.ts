/**
 * The placeholders of each phrase. All but the spoken phrases also go into SMS and therefore keep to the GSM 7-bit
 * alphabet: no typographic apostrophe, and words without ê, ç, á, í, ó and ú.
 */
export const placeholders = {
  /** Begins an alarm. */
  alarm: ['who'],
  /** Begins a re-alarm after another press; never the first alarm. */
  again: ['who', 'pressed'],
  /** Begins a re-alarm because the helper fell silent. */
  helperSilent: ['who', 'name'],
  /** Begins a re-alarm because the only helper says for the third time that they still help. */
  helperAlone: ['who', 'name'],
  /** Begins a re-alarm because the last helper withdrew. */
  helperWithdrew: ['who', 'name'],
  /** Begins an alarm that a timer raised; `overdueNote` follows if the person left a note. */
  overdue: ['who', 'due'],
  overdueNote: ['note'],
  /** To the person's own number, before a timer runs out. */
  timerReminder: ['app', 'due'],
  /** Before the tracking link, if there is room. */
  confirm: [],
  /** In texts sent through the modem: how to answer by SMS. `OK` and the language's NO. */
  answer: ['code'],
  /** To a contact who has answered by SMS: that they help, and that they can't. */
  answerHelps: ['who', 'code'],
  answerUnable: ['who', 'code'],
  /** To a contact whose answer could mean several alerts: the text before the codes, and the entry for each alert. */
  answerWhich: [],
  answerFor: ['code', 'who'],
  /** To a contact who answers an alert that is over. Names nobody. */
  answerOver: [],
  /** To a contact who stops messages, and to one who lifts the stop. */
  answerStopped: ['who', 'link'],
  answerStarted: ['who'],
  /** After everything else, if there is room: the application behind the alarm. */
  via: ['app'],
  /** The times of press and arrival, if they differ. Local times that name their zone. */
  late: ['pressed', 'received'],
  position: ['age', 'map'],
  noPosition: [],
  /** To chat: someone has answered; the last round ended without an answer. */
  acknowledged: ['who', 'name'],
  unanswered: ['who'],
  /** The check-in to the helper, when there is no news of an end. */
  checkIn: ['who'],
  /** To those who have been alarmed and have not answered: somebody is coming, is calling, or helps in some way. */
  othersComing: ['who', 'n'],
  othersCalling: ['who'],
  othersHelped: ['who'],
  /** Before the link in such a text. */
  page: [],
  /** To everyone, before the alert closes automatically. */
  lastCall: ['who', 'ends'],
  /** To chat and contacts: the user's own session has changed the contacts. */
  contactsChanged: ['who'],
  /** To the same: it has changed name, number or devices. */
  accountChanged: ['who'],
  /** To chat: every contact has stopped messages or does not know the person. */
  nobodyLeft: ['who'],
  /** The end, if it is unknown who ended it (records of earlier versions). */
  cancelled: ['who'],
  resolved: ['who'],
  over: ['who'],
  /** Ended from the person's own phone, perhaps by accident or under coercion. */
  endedByUser: ['who'],
  /** Ended by the operator or a contact. */
  endedBy: ['who', 'name'],
  /** Closed automatically, without and with an earlier answer. Never an all-clear. */
  closedAlone: ['who', 'after'],
  closedAnswered: ['who', 'name', 'after'],
  /** Substitutes for an operator or contact without a name. */
  operator: [],
  contactPerson: [],
  /** Ages. SMS use these abbreviations; other messages use the language's own words for the last three. */
  now: [],
  minutes: ['n'],
  hours: ['n'],
  days: ['n'],
  /** An operator's test of a provider. Nobody may mistake it for an alarm. */
  test: ['app'],
  /** Asks a person whether they are a contact. The link follows. */
  verify: ['app', 'who'],
  /** Substitute for a name with nothing readable in it. */
  somebody: [],
  spokenAlarm: ['who'],
  spokenAgain: ['who', 'pressed'],
  spokenOverdue: ['who', 'due'],
  spokenPosition: ['age', 'latitude', 'longitude'],
  spokenLink: [],
  /** The keys that a call accepts. */
  spokenKeys: [],
  /** For providers that cannot pass on keys. */
  spokenKeyless: [],
  spokenNoKey: [],
  spokenWrongKey: [],
  spokenThanks: [],
  /** Another contact has acknowledged. */
  spokenOthers: [],
  spokenFault: [],
  spokenGoodbye: [],
} as const satisfies Record<string, readonly string[]>

export type PhraseKey = keyof typeof placeholders
export type Phrases = Readonly<Record<PhraseKey, string>>

/** The parts of a call besides its message. */
export type CallWords = Pick<
  Phrases,
  | 'spokenKeys'
  | 'spokenKeyless'
  | 'spokenNoKey'
  | 'spokenWrongKey'
  | 'spokenThanks'
  | 'spokenOthers'
  | 'spokenFault'
  | 'spokenGoodbye'
  | 'spokenLink'
>
