import { canCall } from '../../../core/account/caller.ts'
import type { AttemptOutcome } from '../../../core/incident/command.ts'
import { SECOND } from '../../../core/ingest/event-time.ts'
import { segmentsOf } from '../../../core/text/gsm7.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import type { Meter } from '../../../ports/meter.ts'
import type { Notifier } from '../../../ports/notifier.ts'
import { callAddress, statusAddress } from './callback-addresses.ts'
import { createTwilioClient, type Resource } from './client.ts'
import { BAD_CALLBACK, outcomeOf, whyOpen } from './failures.ts'
import { askAfter, createLookUp, kindOf, outcomeFrom, type Text } from './look-up.ts'
import { OwnResources } from './own-resources.ts'
import { type Failure, faultOf, MAX_AT_ONCE, RequestFailed } from './request-client.ts'
import { SendLane } from './send-queue.ts'
import { callTwiml } from './twiml.ts'

export type TwilioAccount = {
  readonly accountSid: string
  readonly authToken: string
  /** Number or sender name; calls need a number. */
  readonly from: string | null
  /** Texts leave through it where it is set. */
  readonly messagingServiceSid: string | null
  readonly baseUrl: string
  readonly receipts: 'callback' | 'poll'
  readonly pollMs: number
  readonly smsPerSecond: number
  readonly callsPerSecond: number
  /** How long a text may wait at Twilio: an SOS must not arrive hours later. */
  readonly validitySeconds: number
}

export type TwilioNotifier = Notifier<Text> & {
  /** Channels whose messages wait here for their turn. */
  readonly queued: readonly ('sms' | 'voice')[]
  /** How many messages of a channel wait for their turn. */
  waiting(channel: 'sms' | 'voice'): number
  /** For how long the one that came first has been waiting, in ms. */
  longestWaitMs(channel: 'sms' | 'voice'): number
  /** Nothing leaves any more; requests under way end. */
  close(): Promise<void>
}

/** How long a phone rings before nobody has answered: most voice boxes have taken over by then. */
const RING_SECONDS = 30
/** How long a lane rests after a 429 that does not say. */
const REST_MS = SECOND

/**
 * The provider `twilio`: SMS and calls in the order of their urgency at the rate that the account may send. What Twilio answers, and
 * where it does not, decides the outcome; what is left open is looked up. Decisions 4.
 */
export function createTwilioNotifier(parts: {
  readonly account: TwilioAccount
  /** Whether another provider takes what this one does not: then nothing waits here while Twilio is rate-limited. */
  readonly hasFallback: (channel: 'sms' | 'voice') => boolean
  /** Where Twilio reaches this service; known once the listeners are up. */
  readonly publicUrl: () => string
  readonly clock: Clock
  readonly log: Log
  readonly meter: Meter
}): TwilioNotifier {
  const { account, hasFallback, publicUrl, clock, log, meter } = parts
  const { accountSid, authToken, baseUrl, receipts, from, messagingServiceSid, validitySeconds } = account
  const client = createTwilioClient({ accountSid, authToken, baseUrl, now: () => clock.now() })
  const caller = canCall(from) ? from : null
  const sender = messagingServiceSid === null ? { ...(from !== null && { from }) } : { messagingServiceSid }
  const asking = { pollMs: receipts === 'poll' ? account.pollMs : null }
  const own = new OwnResources()
  clock.onShift((byMs) => own.shift(byMs))

  const lane = (channel: 'sms' | 'voice', perSecond: number): SendLane =>
    new SendLane({
      perSecond,
      maxAtOnce: MAX_AT_ONCE,
      clock,
      onLeave: (waitedMs) => meter.observe('queue_wait_seconds', waitedMs / SECOND, { channel }),
      onLongWait: (waitMs, waiting) =>
        log.warn(
          { channel, provider: 'twilio', waitSeconds: Math.round(waitMs / SECOND), waiting },
          'messages wait longer to be sent than contacts have to acknowledge; the account allows too few messages per second',
        ),
    })
  const lanes = { sms: lane('sms', account.smsPerSecond), voice: lane('voice', account.callsPerSecond) }

  /** The addresses that Twilio is given, where it can reach this service. Nobody waits to hear of a test. */
  const callbacksOf = ({ purpose, attemptId }: Text) =>
    receipts === 'callback' && purpose !== 'test' && publicUrl() !== ''
      ? { status: statusAddress(publicUrl(), attemptId), key: callAddress(publicUrl(), attemptId) }
      : null

  function create(text: Text, reports: boolean): Promise<Resource> {
    const { channel, to, language, timeoutMs } = text
    const callbacks = reports ? callbacksOf(text) : null
    const statusCallback = callbacks === null ? {} : { statusCallback: callbacks.status }
    if (channel === 'sms') {
      const message = { to, ...sender, body: text.text, validityPeriod: validitySeconds, ...statusCallback }
      return client.createMessage(message, timeoutMs)
    }
    // Nobody has to answer the word that it is over.
    const isAsked = text.purpose === 'alarm'
    const action = isAsked ? (callbacks?.key ?? null) : null
    const isKeyless = isAsked && action === null
    const twiml = callTwiml({ text: text.text, language, action, isKeyless, words: text.words })
    const events = callbacks === null ? {} : { statusCallbackEvent: ['initiated', 'ringing', 'answered', 'completed'] }
    const call = { to, from: caller ?? '', twiml, timeout: RING_SECONDS }
    return client.createCall({ ...call, ...statusCallback, ...events }, timeoutMs)
  }

  /** An address that Twilio will not have must not keep the message from leaving: then it is asked, and a call takes no keys. */
  async function createAnyhow(text: Text): Promise<Resource> {
    const { attemptId, incidentId } = text
    try {
      return await create(text, true)
    } catch (error) {
      if (!isBadCallback(error)) throw error
      log.warn({ incidentId, attemptId }, 'Twilio does not accept the address for receipts; check publicUrl')
      return create(text, false)
    }
  }

  async function handOver(text: Text): Promise<AttemptOutcome> {
    const { attemptId, incidentId, channel } = text
    const startedAt = clock.now()
    try {
      const resource = await createAnyhow(text)
      own.took(attemptId, resource.sid)
      return outcomeFrom(kindOf(text), resource, text.purpose === 'test' ? null : askAfter(asking, 0))
    } catch (error) {
      log.warn(
        { incidentId, attemptId, channel, fault: faultOf(error) },
        'Twilio did not confirm that it accepted a message',
      )
      if (error instanceof RequestFailed) return afterFailure(text, error.failure, startedAt)
      // Before anything was asked: Twilio's package could not be loaded, or the call could not be made up.
      return { kind: 'failed', error: 'connection failed', retryable: true }
    }
  }

  function afterFailure({ attemptId, channel }: Text, failure: Failure, startedAt: number): AttemptOutcome {
    const outcome = outcomeOf(failure)
    if (outcome.kind === 'unknown') own.leftOpen(attemptId, startedAt, whyOpen(failure))
    if (failure.kind === 'refused' && failure.status === 429) lanes[channel].pause(failure.retryAfterMs ?? REST_MS)
    return outcome
  }

  return {
    queued: ['sms', 'voice'],

    async send(text, begin) {
      const { channel, timeoutMs, claimedAt } = text
      const turn = {
        rank: rankOf(text),
        since: claimedAt,
        units: channel === 'sms' ? segmentsOf(text.text) : 1,
        // Without a way to ask whether it is still wanted, it must not leave much later.
        patienceMs: begin === undefined ? timeoutMs : null,
        waitsOutPause: !hasFallback(channel),
        longWaitMs: text.ackTimeoutMs,
      }
      const outcome = await lanes[channel].enter(turn, async (release): Promise<AttemptOutcome> => {
        const words = begin === undefined ? text.text : await begin().catch(() => NOT_BEGUN)
        if (typeof words === 'string') return handOver({ ...text, text: words })
        release()
        return words ?? { kind: 'not_wanted' }
      })
      return outcome ?? NO_TURN
    },

    lookUp: createLookUp({ client, caller, own, receipts: asking, now: () => clock.now(), log }),
    waiting: (channel) => lanes[channel].length,
    longestWaitMs: (channel) => lanes[channel].longestMs,
    async close() {
      lanes.sms.close()
      lanes.voice.close()
      await client.close()
    },
  }
}

const NO_TURN: AttemptOutcome = { kind: 'failed', error: 'provider busy', retryable: true }
/** The store is not there, so that nobody knows whether it is still wanted. Nothing has left then. */
const NOT_BEGUN: AttemptOutcome = { kind: 'failed', error: 'connection failed', retryable: true }

const isBadCallback = (error: unknown): boolean =>
  error instanceof RequestFailed && error.failure.kind === 'refused' && error.failure.code === BAD_CALLBACK

/** First messages of any incident go before repeats of another, and whatever asks for help before the word that it is over. */
function rankOf({ purpose, first }: Text): number {
  if (purpose === 'all_clear' || purpose === 'test') return 2
  return purpose === 'alarm' && first ? 0 : 1
}
