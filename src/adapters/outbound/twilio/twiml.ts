import { type Language, phrases, textLanguage } from '../../../core/text/phrases.ts'
import type { CallWords } from '../../../core/text/placeholders.ts'
import { callQuery } from './callback-addresses.ts'

const GATHER_SECONDS = 10
/** How often a call asks for a key before it says goodbye. */
export const ROUNDS = 3
/** Twilio refuses a call with more TwiML than this. */
const MAX_TWIML_LENGTH = 4_000

/** The language tags of Twilio's voices. */
const voices = {
  en: 'en-GB',
  de: 'de-DE',
  fr: 'fr-FR',
  es: 'es-ES',
  it: 'it-IT',
} as const satisfies Record<Language, string>

type Asking = {
  readonly language: string
  /** `callAddress`: where the pressed key is sent. */
  readonly action: string
  readonly words: CallWords
  /** Spoken before the question. */
  readonly said: readonly string[]
  readonly question: string
  /** The number of this question, from 1. */
  readonly round: number
}

/**
 * The TwiML of a call, at most 4,000 characters. `action`: `callAddress`, or null if Twilio cannot reach this service
 * or nothing is asked; the text then names the link. `isKeyless`: the call says that it takes no keys, because people
 * who know these calls expect them to. Unanswered questions repeat without this service, so the call ends properly even
 * if the service has become unreachable.
 */
export function callTwiml(call: {
  readonly text: string
  readonly language: string
  readonly action: string | null
  readonly isKeyless?: boolean
  /** Default: the built-in ones. */
  readonly words?: CallWords | undefined
}): string {
  const { text, language, action, isKeyless = false } = call
  const words = call.words ?? phrases[textLanguage([language])]
  if (action !== null) return askTwiml({ language, action, words, said: [], question: text, round: 1 })
  // Said twice, for people who are only just putting the phone to their ear.
  const said = isKeyless ? [text, words.spokenKeyless] : [text]
  const twice = lastTwiml(language, [...said, ...said])
  return twice.length <= MAX_TWIML_LENGTH ? twice : fitting(text, (shown) => `${say(language, shown)}<Hangup/>`)
}

/** The next question, and those that follow if no key is pressed. */
export function askTwiml({ language, action, words, said, question, round }: Asking): string {
  const speak = (text: string) => say(language, text)
  const ask = (shown: string, nth: number) => {
    const address = action + callQuery({ round: nth, language })
    // Without a finish key, # and * are ordinary keys.
    const how = `input="dtmf" numDigits="1" finishOnKey="" timeout="${GATHER_SECONDS}" method="POST"`
    return `<Gather ${how} action="${escaped(address)}">${speak(shown)}${speak(words.spokenKeys)}</Gather>${speak(words.spokenNoKey)}`
  }
  const goodbye = `${[words.spokenLink, words.spokenGoodbye].map(speak).join('')}<Hangup/>`
  const from = (first: number) => (shown: string) => {
    const asked = Array.from({ length: ROUNDS - first + 1 }, (_, place) => ask(shown, first + place))
    return said.map(speak).join('') + asked.join('') + goodbye
  }
  // A long text is asked fewer times rather than cut.
  for (let first = round; first < ROUNDS; first++) {
    const whole = twiml(from(first)(question))
    if (whole.length <= MAX_TWIML_LENGTH) return whole
  }
  return fitting(question, from(ROUNDS))
}

/** The TwiML that says the rest and hangs up. */
export const lastTwiml = (language: string, said: readonly string[]): string =>
  twiml(`${said.map((text) => say(language, text)).join('')}<Hangup/>`)

/** The TwiML with as much of `text` as fits. */
function fitting(text: string, verbsWith: (shown: string) => string): string {
  const signs = [...text]
  for (let shown = signs.length; shown > 0; shown -= 50) {
    const whole = twiml(verbsWith(signs.slice(0, shown).join('')))
    if (whole.length <= MAX_TWIML_LENGTH) return whole
  }
  return twiml(verbsWith(''))
}

const twiml = (verbs: string): string => `<?xml version="1.0" encoding="UTF-8"?><Response>${verbs}</Response>`

const say = (language: string, text: string): string =>
  `<Say language="${voices[textLanguage([language])]}">${escaped(text)}</Say>`

/** Drops characters that XML cannot represent. */
const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\uFFFD\u{10000}-\u{10FFFF}]/gu, '')
    .replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
