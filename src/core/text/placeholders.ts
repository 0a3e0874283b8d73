/**
 * What each phrase may be filled with. Everything but the spoken phrases goes into SMS too, and so keeps to the GSM
 * 7-bit alphabet: no typographic apostrophe, and words chosen so that ê, ç, á, í, ó and ú do not occur.
 */
export const placeholders = {
  /** First words of an alarm. */
  alarm: ['who'],
  /** First words where the person has pressed again; never those of the first alarm. */
  again: ['who', 'pressed'],
  /** First words where whoever answered has not been heard from since. */
  helperSilent: ['who', 'name'],
  /** Before the tracking link, where there is room. */
  confirm: [],
  /** Behind everything else, where there is room: through which application it comes. */
  via: ['app'],
  /** When the SOS was pressed and when it arrived, where that is not the same. Local times that name their zone. */
  late: ['pressed', 'received'],
  position: ['age', 'map'],
  noPosition: [],
  /** To chat: somebody has answered; the last round ended without an answer. */
  acknowledged: ['who', 'name'],
  unanswered: ['who'],
  /** To whoever answered, when nothing has been heard of the end. */
  checkIn: ['who'],
  /** To everyone, before the alert closes by itself. */
  lastCall: ['who', 'ends'],
  /** How it ended, where it is not known who ended it (records of earlier versions). */
  cancelled: ['who'],
  resolved: ['who'],
  over: ['who'],
  /** Ended from the person's own phone: perhaps by accident, or under coercion. */
  endedByUser: ['who'],
  /** Ended by the operator or a contact. */
  endedBy: ['who', 'name'],
  /** Ended by itself, without and with an answer before. Never an all-clear. */
  closedAlone: ['who', 'after'],
  closedAnswered: ['who', 'name', 'after'],
  /** Stand for an operator and a contact without a name. */
  operator: [],
  contactPerson: [],
  /** Ages; in SMS abbreviated, elsewhere the language's own words stand for the last three. */
  now: [],
  minutes: ['n'],
  hours: ['n'],
  days: ['n'],
  /** What an operator sends to try a provider: nobody may take it for an alarm. */
  test: ['app'],
  /** Stands for a name that has nothing readable in it. */
  somebody: [],
  spokenAlarm: ['who'],
  spokenAgain: ['who', 'pressed'],
  spokenPosition: ['age', 'latitude', 'longitude'],
  spokenLink: [],
  /** Which keys a call takes. */
  spokenKeys: [],
  /** Where the provider cannot hand keys on. */
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
