import type { Form } from './twilio-rules.ts'

/** One signed POST from Twilio to the service, with its response. */
export type Ask = (
  url: string,
  params: Readonly<Record<string, string>>,
) => Promise<{ readonly status: number; readonly text: string }>

/** What the person who took a call heard. */
export type Heard = {
  /** Every text that was spoken, in order. */
  readonly said: readonly string[]
  /** The language of each of them, or null. */
  readonly languages: readonly (string | null)[]
  /** The service's response to each key or redirect. */
  readonly asked: readonly { readonly url: string; readonly status: number }[]
  /** `hung up` by the TwiML, at its `end`, with an `error` (Twilio's own apology), or by a `bored` listener. */
  readonly ended: 'hung up' | 'end' | 'error' | 'bored'
}

type Verb = { readonly name: string; readonly with: Form; readonly text: string; readonly inner: readonly Verb[] }

const MAX_STEPS = 60

/**
 * Takes a call: runs `twiml` as Twilio does. `keys`: the key pressed at each question, in order; null lets it time out.
 */
export async function listenTo(twiml: string, keys: readonly (string | null)[], ask: Ask): Promise<Heard> {
  const said: string[] = []
  const languages: (string | null)[] = []
  const asked: { url: string; status: number }[] = []
  const pressed = [...keys]
  const ends = (ended: Heard['ended']): Heard => ({ said, languages, asked, ended })

  const speak = (verb: Verb) => {
    if (verb.name !== 'Say') return
    said.push(verb.text)
    languages.push(typeof verb.with.language === 'string' ? verb.with.language : null)
  }
  const fetchVerbs = async (url: string, params: Record<string, string>): Promise<readonly Verb[] | null> => {
    const { status, text } = await ask(url, params)
    asked.push({ url, status })
    return status === 200 ? verbsOf(text) : null
  }

  let verbs: readonly Verb[] | null = verbsOf(twiml)
  let at = 0
  for (let step = 0; step < MAX_STEPS; step++) {
    if (verbs === null) return ends('error')
    const verb: Verb | undefined = verbs[at++]
    if (verb === undefined) return ends('end')
    const next: readonly Verb[] | null | 'on' | 'hang up' = await run(verb)
    if (next === 'hang up') return ends('hung up')
    if (next === 'on') continue
    verbs = next
    at = 0
  }
  return ends('bored')

  async function run(verb: Verb): Promise<readonly Verb[] | null | 'on' | 'hang up'> {
    switch (verb.name) {
      case 'Say':
        speak(verb)
        return 'on'
      case 'Pause':
        return 'on'
      case 'Gather': {
        for (const inner of verb.inner) speak(inner)
        const key = pressed.shift() ?? null
        const always = verb.with.actionOnEmptyResult === 'true'
        if (key === null && !always) return 'on'
        return fetchVerbs(String(verb.with.action), { Digits: key ?? '' })
      }
      case 'Redirect':
        return fetchVerbs(verb.text, {})
      case 'Hangup':
        return 'hang up'
      default:
        return null
    }
  }
}

/** The verbs in a TwiML document, or null if it is not one. */
export function verbsOf(xml: string): readonly Verb[] | null {
  const root: Open = { name: '', with: {}, text: '', inner: [] }
  const open = [root]
  for (const [, closing, name, attributes, empty, text] of xml.matchAll(TOKEN)) {
    const here = open.at(-1)!
    if (name === undefined) here.text += plain(text ?? '')
    else if (closing === '/') {
      if (open.length === 1 || open.pop()!.name !== name) return null
    } else {
      const verb: Open = { name, with: attributesOf(attributes ?? ''), text: '', inner: [] }
      here.inner.push(verb)
      if (empty !== '/') open.push(verb)
    }
  }
  const [response] = root.inner
  if (open.length !== 1 || root.inner.length !== 1 || response?.name !== 'Response') return null
  return response.inner
}

type Open = { readonly name: string; readonly with: Form; text: string; readonly inner: Open[] }

const TOKEN = /<\?[^>]*\?>|<(\/?)([A-Za-z]+)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>|([^<]+)/g

const attributesOf = (text: string): Form =>
  Object.fromEntries(
    [...text.matchAll(/([\w:-]+)="([^"]*)"/g)].map(([, name, value]) => [name!, plain(value!)] as const),
  )

const signs: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

const plain = (text: string): string =>
  text.replace(/&(#x?[\da-f]+|\w+);/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return signs[name] ?? whole
    return String.fromCodePoint(/^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1)))
  })
