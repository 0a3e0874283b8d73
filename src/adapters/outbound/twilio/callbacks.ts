import { setTimeout as wait } from 'node:timers/promises'
import type { AnswerCall } from '../../../app/answers/answer-call.ts'
import type { RecordReceipt } from '../../../app/answers/record-receipt.ts'
import type { TakeSms } from '../../../app/answers/take-sms.ts'
import { incidentIdOf } from '../../../core/incident/escalation.ts'
import { phrases, textLanguage } from '../../../core/text/phrases.ts'
import { MINUTE, SECOND } from '../../../lib/durations.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import type { ProviderCallbacks, ProviderPost } from '../../../ports/provider-callbacks.ts'
import { type CallPlace, callAddress, placeOf, smsAddress, statusAddress } from './callback-addresses.ts'
import { PROVIDER } from './look-up.ts'
import { callReceipt, messageReceipt, type StatusReceipt } from './statuses.ts'
import { askTwiml, lastTwiml, ROUNDS } from './twiml.ts'

/** After 15 s Twilio plays its own apology and hangs up. */
const ANSWER_WITHIN_MS = 8 * SECOND

const MAX_SID_LENGTH = 64

/** Handles Twilio's callbacks about attempts (rules.md#receipts). */
export function twilioCallbacks(needs: {
  /** The keys of Twilio's signatures, asked each time. None: Twilio is not set up. */
  readonly authTokens: () => readonly string[]
  /** The base URL that Twilio was given for this service. */
  readonly publicUrl: () => string
  readonly recordReceipt: RecordReceipt
  readonly answerCall: AnswerCall
  readonly takeSms: TakeSms
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
}): ProviderCallbacks {
  const { authTokens, publicUrl, recordReceipt, answerCall, takeSms, clock, log } = needs
  const isSigned = signedWith(authTokens)
  let warnedAt = Number.NEGATIVE_INFINITY

  async function isForged(address: string, post: Omit<ProviderPost, 'attemptId'>): Promise<boolean> {
    if (await isSigned(address, post)) return false
    // Anyone can post here; a flood of posts must not fill the log.
    if (clock.now() - warnedAt >= MINUTE) {
      warnedAt = clock.now()
      log.warn(
        { provider: PROVIDER },
        'refused a callback: its signature does not match publicUrl and twilio.authToken',
      )
    }
    return true
  }

  async function next(attemptId: string, key: string, place: CallPlace): Promise<string> {
    const action = callAddress(publicUrl(), attemptId)
    const reply = await answerCall(attemptId, key)
    if (reply === null) {
      log.warn({ incidentId: incidentIdOf(attemptId), attemptId }, 'a key was pressed in an unknown call')
      return lastTwiml(place.language, [phrases[textLanguage([place.language])].spokenGoodbye])
    }
    const { language, words, said, question, afresh } = reply
    if (question === null) return lastTwiml(language, said)
    const round = afresh ? 1 : place.round + 1
    if (round > ROUNDS) return lastTwiml(language, [...said, words.spokenLink, words.spokenGoodbye])
    return askTwiml({ language, action, words, said, question, round })
  }

  /** The call's next words if nothing could be read or stored: it asks again. */
  function faultTwiml(attemptId: string, { language, round }: CallPlace): string {
    const words = phrases[textLanguage([language])]
    const { spokenFault, spokenLink, spokenGoodbye } = words
    if (round >= ROUNDS) return lastTwiml(language, [spokenFault, spokenLink, spokenGoodbye])
    const action = callAddress(publicUrl(), attemptId)
    return askTwiml({ language, action, words, said: [spokenFault], question: spokenLink, round: round + 1 })
  }

  return {
    isOn: () => authTokens().length > 0,

    async status(post) {
      const { attemptId, query } = post
      if (await isForged(statusAddress(publicUrl(), attemptId) + query, post)) return { refused: 'forged' }
      const { providerRef, receipt } = readReceipt(post)
      if (receipt === null) {
        log.warn({ incidentId: incidentIdOf(attemptId), attemptId }, 'Twilio reported an unknown status')
        return { done: true }
      }
      const { status, error } = receipt
      await recordReceipt(attemptId, { status, provider: PROVIDER, providerRef, error })
      return { done: true }
    },

    async sms(post) {
      if (await isForged(smsAddress(publicUrl()) + post.query, post)) return { refused: 'forged' }
      const id = value(post, 'MessageSid') ?? value(post, 'SmsSid')
      const from = value(post, 'From')
      if (id === null || id.length > MAX_SID_LENGTH || from === null) {
        log.warn({ provider: PROVIDER }, 'Twilio delivered a text without a sender or an id')
        return { done: true }
      }
      await takeSms({ id, from, text: value(post, 'Body') ?? '', ageMs: 0 })
      return { done: true }
    },

    async call(post) {
      const { attemptId, query } = post
      if (await isForged(callAddress(publicUrl(), attemptId) + query, post)) return { refused: 'forged' }
      const { round, language } = placeOf(query, ROUNDS)
      const place = { round, language: textLanguage([language]) }
      try {
        return { document: await within(ANSWER_WITHIN_MS, next(attemptId, value(post, 'Digits') ?? '', place)) }
      } catch (error) {
        log.error(
          { incidentId: incidentIdOf(attemptId), attemptId, err: error },
          'could not record the key pressed in a call',
        )
        return { document: faultTwiml(attemptId, place) }
      }
    },
  }
}

/** Parses a status callback, for a message or a call. `receipt` is null without a status or with an unknown one. */
function readReceipt(post: ProviderPost): { providerRef: string | null; receipt: StatusReceipt | null } {
  const message = value(post, 'MessageStatus') ?? value(post, 'SmsStatus')
  if (message !== null) {
    const providerRef = value(post, 'MessageSid') ?? value(post, 'SmsSid')
    return { providerRef, receipt: messageReceipt(message, errorCodeOf(post)) }
  }
  const call = value(post, 'CallStatus')
  return { providerRef: value(post, 'CallSid'), receipt: call === null ? null : callReceipt(call, errorCodeOf(post)) }
}

function errorCodeOf(post: ProviderPost): number | null {
  const code = value(post, 'ErrorCode')
  return code !== null && /^[1-9]\d{0,9}$/.test(code) ? Number(code) : null
}

function value({ params }: Pick<ProviderPost, 'params'>, name: string): string | null {
  const found = params[name]
  return typeof found === 'string' && found !== '' ? found : null
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const over = new AbortController()
  const late = wait(ms, undefined, { ref: false, signal: over.signal }).then(() => {
    throw new Error('the answer took too long')
  })
  // Neither promise may cause an unhandled rejection after losing the race.
  late.catch(() => {})
  work.catch(() => {})
  return Promise.race([work, late]).finally(() => over.abort())
}

/**
 * Whether Twilio signed a POST for `address`, the URL that Twilio was given; the Host header and path changes by
 * proxies do not matter. It is Twilio's own check, in constant time.
 */
type IsSigned = (address: string, post: Pick<ProviderPost, 'params' | 'signature'>) => Promise<boolean>

/** Twilio's package is large, so it is loaded at the first POST. */
const signedWith =
  (authTokens: () => readonly string[]): IsSigned =>
  async (address, { params, signature }) => {
    if (signature === null) return false
    const { default: twilio } = await import('twilio')
    return authTokens().some((token) => twilio.validateRequest(token, signature, address, params))
  }
