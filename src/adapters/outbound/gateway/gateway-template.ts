/** The values that an operator's template may use. */
export type GatewayMessage = {
  readonly channel: 'sms' | 'voice'
  /** E.164. */
  readonly to: string
  readonly text: string
  readonly attemptId: string
}

/** The call of the operator's gateway. Everything but the template's own braces follows the gateway's documentation. */
export type GatewayCall = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly template: string | null
}

/**
 * Builds the request for one message. Fills in `{channel}`, `{to}`, `{text}` and `{attemptId}` wherever they occur,
 * encoded for their place: percent-encoded in the URL, percent-encoded in headers if not plain ASCII, and in the body
 * according to its content type. Without a template, the body is the JSON object of protocol.md#gateway. Without a
 * content type in the headers, a template that starts like JSON is JSON, and any other is a form.
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

// Percent-encoding throws on a lone surrogate, but a message must go out whatever it contains.
const filledIn = (template: string, message: GatewayMessage, encoding: Encoding): string =>
  template.replace(/\{(channel|to|text|attemptId)\}/g, (_, key: keyof GatewayMessage) =>
    encoding(message[key].toWellFormed()),
  )

const forHeader: Encoding = (value) => (/^[\x20-\x7e]*$/.test(value) ? value : encodeURIComponent(value))
const inJsonString: Encoding = (value) => JSON.stringify(value).slice(1, -1)
const inXml: Encoding = (value) => value.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
const asItIs: Encoding = (value) => value

/** Checked in this order against the content type. */
const encodings: readonly (readonly [contentType: RegExp, encoding: Encoding])[] = [
  [/json/i, inJsonString],
  [/x-www-form-urlencoded/i, encodeURIComponent],
  [/xml|html/i, inXml],
]
const encodingOf = (contentType: string): Encoding =>
  encodings.find(([pattern]) => pattern.test(contentType))?.[1] ?? asItIs
