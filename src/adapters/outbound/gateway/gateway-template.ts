/** What an operator's template may name. */
export type GatewayMessage = {
  readonly channel: 'sms' | 'voice'
  /** E.164. */
  readonly to: string
  readonly text: string
  readonly attemptId: string
}

/**
 * How an operator wants the gateway to be called. Everything but the template's own braces is as the
 * gateway documents it.
 */
export type GatewayCall = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly template: string | null
}

/**
 * The request for one message. `{channel}`, `{to}`, `{text}` and `{attemptId}` are filled in wherever they stand, each
 * in the way of that place: percent-encoded in the address, in headers where a header could not carry it, and in the
 * body by its content type. Without a template the body is the JSON object of protocol.md#gateway. Without a content
 * type in the headers a template that begins like JSON is JSON, and any other is a form.
 */
export function gatewayRequest(
  { url, headers, template }: GatewayCall,
  message: GatewayMessage,
): { readonly url: string; readonly headers: Readonly<Record<string, string>>; readonly body: string } {
  const { channel, to, text, attemptId } = message
  const given = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), filledIn(value, message, forHeader)]),
  )
  const contentType = given['content-type'] ?? (template === null || /^\s*[[{]/.test(template) ? JSON_TYPE : FORM_TYPE)
  return {
    url: filledIn(url, message, encodeURIComponent),
    headers: { ...given, 'content-type': contentType },
    body:
      template === null
        ? JSON.stringify({ channel, to, text, attemptId })
        : filledIn(template, message, encodingOf(contentType)),
  }
}

const JSON_TYPE = 'application/json'
const FORM_TYPE = 'application/x-www-form-urlencoded'

type Encoding = (value: string) => string

// Percent-encoding throws on a lone surrogate, and a message has to leave whatever is in it.
const filledIn = (template: string, message: GatewayMessage, encoding: Encoding): string =>
  template.replace(/\{(channel|to|text|attemptId)\}/g, (_, key: keyof GatewayMessage) =>
    encoding(message[key].toWellFormed()),
  )

const forHeader: Encoding = (value) => (/^[\x20-\x7e]*$/.test(value) ? value : encodeURIComponent(value))
const inJsonString: Encoding = (value) => JSON.stringify(value).slice(1, -1)
const inXml: Encoding = (value) => value.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
const asItIs: Encoding = (value) => value

/** In this order, by what the content type contains. */
const encodings: readonly (readonly [contentType: RegExp, encoding: Encoding])[] = [
  [/json/i, inJsonString],
  [/x-www-form-urlencoded/i, encodeURIComponent],
  [/xml|html/i, inXml],
]
const encodingOf = (contentType: string): Encoding =>
  encodings.find(([pattern]) => pattern.test(contentType))?.[1] ?? asItIs
