export type Kind = 'Messages' | 'Calls'
export type Form = Readonly<Record<string, string | readonly string[]>>

/** How Twilio refuses a request: HTTP status, and code from its error dictionary. */
export type TwilioError = { readonly status: number; readonly code: number | null; readonly message: string }

/** One message or call, as Twilio stores it. Times are epoch ms of the stand-in's clock. */
export type Resource = {
  readonly kind: Kind
  readonly sid: string
  readonly params: Form
  readonly createdAt: number
  /** By `performance.now()`. */
  readonly acceptedAt: number
  status: string
  errorCode: number | null
}

const E164 = /^\+[1-9]\d{6,14}$/
const SENDER = /^(\+[1-9]\d{6,14}|\d{3,8}|(?=.*[A-Za-z])[A-Za-z0-9 +_&-]{1,11})$/
const MAX_BODY_LENGTH = 1600
const MAX_TWIML_LENGTH = 4000
const MAX_VALIDITY_SECONDS = 36_000
const CALL_EVENTS = ['initiated', 'ringing', 'answered', 'completed']

export const one = (form: Form, name: string): string => {
  const value = form[name]
  return typeof value === 'string' ? value : (value?.[0] ?? '')
}
export const all = (form: Form, name: string): readonly string[] => {
  const value = form[name]
  return value === undefined ? [] : typeof value === 'string' ? [value] : value
}

/** The first mistake for which Twilio would refuse to create the resource, or null. */
export function mistakeIn(kind: Kind, form: Form): TwilioError | null {
  const callback = one(form, 'StatusCallback')
  if (callback !== '' && !/^https?:\/\/[^/]+/.test(callback)) return bad(21609, 'Invalid StatusCallback')
  return kind === 'Messages' ? mistakeInMessage(form) : mistakeInCall(form)
}

function mistakeInMessage(form: Form): TwilioError | null {
  const [to, from, service, body] = ['To', 'From', 'MessagingServiceSid', 'Body'].map((name) => one(form, name))
  const validity = one(form, 'ValidityPeriod')
  if (!to) return bad(21604, "A 'To' phone number is required.")
  if (!E164.test(to)) return bad(21211, "Invalid 'To' Phone Number")
  if (!from && !service) return bad(21603, "A 'From' phone number is required.")
  if (service && !service.startsWith('MG')) return bad(21705, 'The Messaging Service Sid is invalid')
  if (from && !SENDER.test(from)) return bad(21212, "Invalid 'From' Number")
  if (!body) return bad(21602, 'Message body is required.')
  if (body.length > MAX_BODY_LENGTH)
    return bad(21617, 'The concatenated message body exceeds the 1600 character limit.')
  if (validity !== '' && !(Number(validity) >= 1 && Number(validity) <= MAX_VALIDITY_SECONDS)) {
    return bad(20001, 'The ValidityPeriod is invalid')
  }
  return null
}

function mistakeInCall(form: Form): TwilioError | null {
  const [to, from, url, twiml] = ['To', 'From', 'Url', 'Twiml'].map((name) => one(form, name))
  if (!to) return bad(21201, "No 'To' number is specified")
  if (!E164.test(to)) return bad(21211, "Invalid 'To' Phone Number")
  if (!from) return bad(21213, "No 'From' number is specified")
  if (!E164.test(from)) return bad(21212, "Invalid 'From' Number")
  if (!url && !twiml) return bad(21205, 'Url parameter is required.')
  if (twiml && twiml.length > MAX_TWIML_LENGTH) return bad(21264, 'The Twiml is too long')
  if (all(form, 'StatusCallbackEvent').some((event) => !CALL_EVENTS.includes(event))) {
    return bad(21626, 'Invalid StatusCallbackEvents')
  }
  return null
}

const bad = (code: number, message: string): TwilioError => ({ status: 400, code, message })

/** RFC 2822, whole seconds, as in Twilio's responses. */
const when = (at: number): string => new Date(at).toUTCString().replace('GMT', '+0000')

/** States in which Twilio has not yet passed it on. */
const WAITING: readonly string[] = ['accepted', 'scheduled', 'queued']

/** When it left, or null. The filters of lists use this time. */
export const startedAt = ({ status, createdAt }: Resource): number | null =>
  WAITING.includes(status) ? null : createdAt

/** A message or call in the JSON of Twilio's responses. */
export function asJson(accountSid: string, resource: Resource): Record<string, unknown> {
  const { kind, sid, params, createdAt, status, errorCode } = resource
  const started = startedAt(resource)
  const shared = {
    sid,
    account_sid: accountSid,
    api_version: '2010-04-01',
    to: one(params, 'To'),
    from: one(params, 'From') || null,
    status,
    direction: 'outbound-api',
    date_created: when(createdAt),
    date_updated: when(createdAt),
    price: null,
    price_unit: 'USD',
    uri: `/2010-04-01/Accounts/${accountSid}/${kind}/${sid}.json`,
  }
  if (kind === 'Calls') return { ...shared, start_time: started && when(started), end_time: null, duration: null }
  return {
    ...shared,
    body: one(params, 'Body'),
    messaging_service_sid: one(params, 'MessagingServiceSid') || null,
    num_segments: '1',
    num_media: '0',
    date_sent: started && when(started),
    error_code: errorCode,
    error_message: errorCode === null ? null : 'as the error dictionary has it',
  }
}
