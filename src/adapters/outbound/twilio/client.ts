import type twilio from 'twilio'
import type { TextNotification } from '../../../ports/notifier.ts'
import { createTwilioTransport, RequestFailed, type TransportNeeds } from './request-client.ts'

export type ResourceKind = 'message' | 'call'

/** A message or call as Twilio reports it. */
export type Resource = {
  readonly sid: string
  readonly status: string
  /** From Twilio's error dictionary; null if there is none, and for calls. */
  readonly errorCode: number | null
  /** Epoch ms by Twilio's clock, in whole seconds; null if Twilio does not report it. */
  readonly createdAt: number | null
  /** Null for calls. */
  readonly body: string | null
}

type MessageRequest = {
  readonly to: string
  readonly body: string
  readonly validityPeriod: number
  readonly from?: string
  readonly messagingServiceSid?: string
  readonly statusCallback?: string
}
type CallRequest = {
  readonly to: string
  readonly from: string
  readonly twiml: string
  /** How long to let it ring, in seconds. */
  readonly timeout: number
  readonly statusCallback?: string
  readonly statusCallbackEvent?: string[]
}

/** The limits of a request that sends, as in `Notification`. */
type Within = Pick<TextNotification, 'timeoutMs' | 'leftMs'>

/** The part of Twilio's REST API used here. All methods reject with `RequestFailed`. */
export type TwilioClient = {
  createMessage(message: MessageRequest, within: Within): Promise<Resource>
  createCall(call: CallRequest, within: Within): Promise<Resource>
  fetch(kind: ResourceKind, sid: string, timeoutMs: number): Promise<Resource>
  /** The latest messages to a number, newest first. */
  messagesTo(to: string, timeoutMs: number): Promise<readonly Resource[]>
  /** The latest calls between two numbers, newest first. */
  callsTo(to: string, from: string, timeoutMs: number): Promise<readonly Resource[]>
  /** How far Twilio's clock is ahead of ours (ms), as of the last response. */
  aheadMs(): number
  close(): Promise<void>
}

/** Far more than one number can have received since a claim. */
const MAX_LISTED = 300
const PAGE_SIZE = 100

/** Twilio's own package over our own connections. For outgoing requests it is loaded only here, because it is large. */
export function createTwilioClient({
  accountSid,
  authToken,
  ...connections
}: TransportNeeds & { readonly accountSid: string; readonly authToken: string }): TwilioClient {
  const transport = createTwilioTransport(connections)
  const loading = import('twilio')
  // Loaded now, so that the first alarm does not wait for it; a failure surfaces in the calls that need it. The package
  // loads its parts when they are first accessed, which takes some 30 ms of the event loop.
  loading.then(({ default: load }) => load(accountSid, authToken).messages).catch(() => {})

  async function ask<T>({ timeoutMs, leftMs }: Within, question: (api: twilio.Twilio) => Promise<T>): Promise<T> {
    const { default: load } = await loading
    // The package's type declares more members than it uses.
    const httpClient = transport.client(timeoutMs, leftMs) as unknown as twilio.RequestClient
    try {
      return await question(load(accountSid, authToken, { httpClient }))
    } catch (error) {
      if (error instanceof RequestFailed) throw error
      // An unreadable response; Twilio may still have accepted the request.
      throw new RequestFailed({ kind: 'unsure', error: 'connection failed' }, error)
    }
  }

  const page = { pageSize: PAGE_SIZE, limit: MAX_LISTED }
  return {
    createMessage: (message, within) =>
      ask(within, async (api) => messageOf(await api.messages.create({ ...message }))),
    createCall: (call, within) => ask(within, async (api) => callOf(await api.calls.create({ ...call }))),
    fetch: (kind, sid, timeoutMs) =>
      ask({ timeoutMs }, async (api) =>
        kind === 'message' ? messageOf(await api.messages(sid).fetch()) : callOf(await api.calls(sid).fetch()),
      ),
    messagesTo: (to, timeoutMs) =>
      ask({ timeoutMs }, async (api) => (await api.messages.list({ to, ...page })).map(messageOf)),
    callsTo: (to, from, timeoutMs) =>
      ask({ timeoutMs }, async (api) => (await api.calls.list({ to, from, ...page })).map(callOf)),
    aheadMs: transport.aheadMs,
    close: transport.close,
  }
}

type Read = {
  readonly sid: string
  readonly status: string
  readonly dateCreated?: Date
  /** When it was sent, for messages and calls; needed if a gateway in between drops the creation time. */
  readonly dateSent?: Date
  readonly startTime?: Date
  readonly body?: string
  readonly errorCode?: number | null
}

const messageOf = (message: Read): Resource => ({ ...callOf(message), body: message.body ?? '' })

function callOf({ sid, status, dateCreated, dateSent, startTime, errorCode }: Read): Resource {
  if (typeof sid !== 'string' || typeof status !== 'string') throw new TypeError('an answer without sid or status')
  // Fields that are not valid dates arrive unparsed.
  const told = [dateCreated, dateSent, startTime].find((date) => date instanceof Date)
  const createdAt = told?.getTime() ?? Number.NaN
  return {
    sid,
    status,
    errorCode: Number.isInteger(errorCode) ? Number(errorCode) : null,
    createdAt: Number.isNaN(createdAt) ? null : createdAt,
    body: null,
  }
}
