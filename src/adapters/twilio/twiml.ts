const GATHER_SECONDS = 10
/** Said so often that somebody who has just put the phone to the ear hears all of it. */
const TIMES_SAID = 2

/** Languages in the tags of Twilio's voices. */
const voices: Readonly<Record<string, string>> = { en: 'en-GB', de: 'de-DE', fr: 'fr-FR', es: 'es-ES', it: 'it-IT' }

/**
 * What a call says, in TwiML. `action`: where the key goes that is pressed while it speaks, null where Twilio cannot reach this service.
 */
export function callTwiml(call: {
  readonly text: string
  readonly language: string
  readonly action: string | null
}): string {
  const { text, language, action } = call
  const said = `<Say language="${voices[language.slice(0, 2)] ?? 'en-GB'}">${escaped(text)}</Say>`.repeat(TIMES_SAID)
  const verbs =
    action === null
      ? said
      : `<Gather numDigits="1" timeout="${GATHER_SECONDS}" action="${escaped(action)}">${said}</Gather>${said}`
  return `<?xml version="1.0" encoding="UTF-8"?><Response>${verbs}<Hangup/></Response>`
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
