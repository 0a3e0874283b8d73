import { createHash } from 'node:crypto'
import type { AttemptOutcome } from '../../../core/incident/command.ts'
import { canCall, textChannels } from '../../../core/incident/delivery.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import type { Provider, TextNotification } from '../../../ports/notifier.ts'
import { callAddress, statusAddress } from './callback-addresses.ts'
import { createTwilioClient, type Resource } from './client.ts'
import { attemptOutcomeOf, BAD_CALLBACK, whyOpen } from './failures.ts'
import { askAfter, createLookUp, outcomeFrom, PROVIDER, resourceKindOf } from './look-up.ts'
import { OwnResources } from './own-resources.ts'
import { faultOf, RequestFailed, type RequestFailure } from './request-client.ts'
import { callTwiml } from './twiml.ts'

export type TwilioAccount = {
  readonly accountSid: string
  readonly authToken: string
  /** A number or sender name; calls need a number. */
  readonly from: string | null
  /** If set, texts are sent through it. */
  readonly messagingServiceSid: string | null
  readonly baseUrl: string
  readonly receipts: 'callback' | 'poll'
  readonly pollMs: number
  readonly smsPerSecond: number
  readonly callsPerSecond: number
  /** How many requests of this service Twilio may have in flight: it answers further ones of an account with 429. */
  readonly requestsAtOnce: number
  /** How long a text may wait at Twilio: an SOS must not arrive hours later. */
  readonly validitySeconds: number
}

export type TwilioNotifier = Provider & {
  /** Ends every connection. */
  close(): Promise<void>
}

/**
 * The part of `requestsAtOnce` that is claimed and composed ahead. Responses to requests that left together arrive
 * together, and the connections would be idle until the next messages are claimed.
 */
const AHEAD = 1 / 4

/** How long a phone rings before the call counts as unanswered; most voicemail has picked up by then. */
const RING_SECONDS = 30

/**
 * The provider `twilio`: one request per SMS or call. Twilio's response, or its absence, decides the outcome; open
 * attempts are looked up (rules.md#providers).
 */
export function createTwilioNotifier(needs: {
  readonly account: TwilioAccount
  /** The base URL at which Twilio reaches this service; known once the listeners are up. */
  readonly publicUrl: () => string
  readonly clock: Clock
  readonly log: Log
}): TwilioNotifier {
  const { account, publicUrl, clock, log } = needs
  const { accountSid, authToken, baseUrl, receipts, from, messagingServiceSid, requestsAtOnce, validitySeconds } =
    account
  const client = createTwilioClient({ accountSid, authToken, baseUrl, requestsAtOnce, now: () => clock.now() })
  const caller = canCall(from) ? from : null
  const sender = messagingServiceSid === null ? { ...(from !== null && { from }) } : { messagingServiceSid }
  const asking = { pollMs: receipts === 'poll' ? account.pollMs : null }
  const own = new OwnResources()
  clock.onShift((byMs) => own.shift(byMs))

  /** The callback URLs for Twilio, if it can reach this service. A message outside any incident needs no receipts. */
  const callbacksOf = ({ purpose, attemptId }: TextNotification) =>
    receipts === 'callback' && hasAttempt(purpose) && publicUrl() !== ''
      ? { status: statusAddress(publicUrl(), attemptId), key: callAddress(publicUrl(), attemptId) }
      : null

  function create(text: TextNotification, reports: boolean): Promise<Resource> {
    const { channel, to, language } = text
    const callbacks = reports ? callbacksOf(text) : null
    const statusCallback = callbacks === null ? {} : { statusCallback: callbacks.status }
    if (channel === 'sms') {
      const message = { to, ...sender, body: text.text, validityPeriod: validitySeconds, ...statusCallback }
      return client.createMessage(message, text)
    }
    // Only alarms ask for an answer; a closing message does not.
    const isAsked = text.purpose === 'alarm'
    const action = isAsked ? (callbacks?.key ?? null) : null
    const isKeyless = isAsked && action === null
    const twiml = callTwiml({ text: text.text, language, action, isKeyless, words: text.words })
    const events = callbacks === null ? {} : { statusCallbackEvent: ['initiated', 'ringing', 'answered', 'completed'] }
    const call = { to, from: caller ?? '', twiml, timeout: RING_SECONDS }
    return client.createCall({ ...call, ...statusCallback, ...events }, text)
  }

  /**
   * Creates the message without callbacks if Twilio rejects their URL: the message must still go out. Its status is
   * then looked up later, and a call takes no keys.
   */
  async function createWithFallback(text: TextNotification): Promise<Resource> {
    const { attemptId, incidentId } = text
    try {
      return await create(text, true)
    } catch (error) {
      if (!isBadCallback(error)) throw error
      log.warn({ incidentId, attemptId }, 'Twilio does not accept the address for receipts; check publicUrl')
      return create(text, false)
    }
  }

  async function send(text: TextNotification): Promise<AttemptOutcome> {
    const { attemptId, incidentId, channel } = text
    const startedAt = clock.now()
    try {
      const resource = await createWithFallback(text)
      own.took(attemptId, resource.sid)
      return outcomeFrom(resourceKindOf(text), resource, hasAttempt(text.purpose) ? askAfter(asking, 0) : null)
    } catch (error) {
      log.warn(
        { incidentId, attemptId, channel, fault: faultOf(error) },
        'Twilio did not confirm that it accepted a message',
      )
      if (error instanceof RequestFailed) return afterFailure(attemptId, error.failure, startedAt)
      // Failed before any request: Twilio's package could not be loaded, or the call could not be composed.
      return { kind: 'failed', error: 'connection failed', retryable: true }
    }
  }

  function afterFailure(attemptId: string, failure: RequestFailure, startedAt: number): AttemptOutcome {
    const outcome = attemptOutcomeOf(failure)
    if (outcome.kind === 'unknown') own.leftOpen(attemptId, startedAt, whyOpen(failure))
    return outcome
  }

  const atOnce = { maxAtOnce: requestsAtOnce, ahead: Math.floor(requestsAtOnce * AHEAD) }
  return {
    name: PROVIDER,
    channels: caller === null ? ['sms'] : textChannels,
    rate: {
      // Twilio limits the texts of a sender, and the calls of an account.
      sms: { perSecond: account.smsPerSecond, ...atOnce, account: idOf(accountSid, messagingServiceSid ?? from ?? '') },
      voice: { perSecond: account.callsPerSecond, ...atOnce, account: idOf(accountSid) },
    },
    send,
    lookUp: createLookUp({ client, caller, own, receipts: asking, now: () => clock.now(), log }),
    close: () => client.close(),
  }
}

/** A name for the account, the same on every node, which does not reveal the account to readers of the database. */
const idOf = (...parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 16)

const isBadCallback = (error: unknown): boolean =>
  error instanceof RequestFailed && error.failure.kind === 'refused' && error.failure.code === BAD_CALLBACK

const hasAttempt = (purpose: TextNotification['purpose']): boolean =>
  purpose !== 'test' && purpose !== 'reminder' && purpose !== 'verification'
