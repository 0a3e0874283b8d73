import type { Answer } from '../send/answer.ts'
import { delayMs } from '../send/backoff.ts'
import { type Http, TocsinError } from '../send/http.ts'
import { anyOf, gone, newId, rest } from '../send/rest.ts'
import type { QuickReply, SosMessage, SosTalk } from '../wire/message.ts'

const PATH = '/v1/sdk/sos/messages'
/** A longer wait is for the person to know: 60 messages an hour are the limit. */
const PATIENCE_MS = 60_000

/** An outgoing message: up to 500 characters, or a quick reply. */
export type Said = { readonly text: string } | { readonly quickReply: QuickReply }

export type SayOptions = {
  /** Default: `to` of `read()`. `desk`: only the rescue desk reads it. */
  readonly to?: 'all' | 'desk'
  /** Gives up. */
  readonly signal?: AbortSignal
}

type Needs = {
  readonly http: Http
  /** Calls `listener` whenever the talk may have changed. Returns what stops that. */
  readonly onNews: (listener: () => void) => () => void
  readonly signal: AbortSignal
}

/** Talking with the rescue desk and with contacts who help, during the open alarm. */
export class Messages implements AsyncIterable<SosMessage> {
  readonly #needs: Needs

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** The messages behind `after`, the newest 200, and the readers of the next one. */
  async read(after = 0): Promise<SosTalk> {
    const answer = await this.#needs.http.ask('GET', `${PATH}?after=${after}`, undefined, this.#needs.signal)
    const talk = talkIn(answer)
    if (talk === null) throw new TocsinError(answer)
    return talk
  }

  /**
   * Sends a message to the alarm that is open now, again and again until the service has it: it is one message however
   * often it is sent, and never goes into a later alarm. Resolves with it. Rejects with a `TocsinError` where the
   * service refuses it (409: the alarm is over; 429: 60 an hour), and with status 0 if `signal` gives up. It is not
   * kept: after a restart of the app the person sees that it is missing.
   */
  async send(said: Said, { to, signal }: SayOptions = {}): Promise<SosMessage> {
    const { http, signal: closed } = this.#needs
    const until = signal === undefined ? closed : anyOf(signal, closed)
    const id = newId()
    let incidentId: string | null = null
    let answer: Answer | null = null
    for (let attempt = 0; !until.aborted; attempt += 1) {
      if (incidentId === null) {
        answer = await http.ask('GET', `${PATH}?after=999999999`, undefined, until)
        incidentId = talkIn(answer)?.incidentId ?? null
      }
      if (incidentId !== null || talkIn(answer) !== null) {
        const named = incidentId === null ? {} : { incidentId }
        answer = await http.ask('POST', PATH, { id, ...said, ...(to !== undefined && { to }), ...named }, until)
        const { message } = (answer?.body ?? {}) as { readonly message?: SosMessage }
        if (answer !== null && answer.status < 300 && message !== undefined) return message
      }
      if (isFinal(answer)) break
      await rest(delayMs(attempt, answer?.retryAfterMs ?? 0, Math.random()), until)
    }
    throw new TocsinError(until.aborted ? null : answer)
  }

  /**
   * The talk of the open alarm whenever it may have changed: who reads now, and in `items` the messages that are new,
   * from the first one on. Ends when the alarm is over, and with `signal`.
   */
  async *changes({ signal: own }: Pick<SayOptions, 'signal'> = {}): AsyncGenerator<SosTalk, void, void> {
    const { onNews, signal: closed } = this.#needs
    const signal = own === undefined ? closed : anyOf(own, closed)
    let wake = new AbortController()
    const stop = onNews(() => wake.abort())
    try {
      let of: string | null = null
      for (let [after, attempt] = [0, 0]; !signal.aborted; ) {
        wake = new AbortController()
        const { signal: woken } = wake
        const talk = await this.read(after).catch(() => null)
        attempt = talk === null ? attempt + 1 : 0
        if (talk !== null && of !== null && talk.incidentId !== of) return
        of ??= talk?.incidentId ?? null
        if (talk !== null && of !== null && !signal.aborted) {
          after = talk.items.at(-1)?.n ?? after
          yield talk
        }
        if (talk === null) await rest(delayMs(attempt - 1, 0, Math.random()), anyOf(woken, signal))
        else await gone(anyOf(woken, signal))
      }
    } finally {
      stop()
    }
  }

  /** The messages of the open alarm as they come, from the first one on. Ends when the alarm is over. */
  async *[Symbol.asyncIterator](): AsyncGenerator<SosMessage, void, void> {
    for await (const { items } of this.changes()) yield* items
  }
}

const talkIn = (answer: Answer | null): SosTalk | null =>
  answer?.status === 200 && Array.isArray((answer.body as SosTalk | null)?.items) ? (answer.body as SosTalk) : null

/** Whether trying again is useless. A captive portal's page does not count as an answer. */
function isFinal(answer: Answer | null): boolean {
  if (answer === null || new TocsinError(answer).code === 'not_the_service') return false
  return (answer.status >= 400 && answer.status < 429) || (answer.status === 429 && answer.retryAfterMs > PATIENCE_MS)
}
