import { optional, rate, secretOf, section, text, wholeNumber } from './fields.ts'

const SECURED_PORT = 465
const SUBMISSION_PORT = 587
const HOST = /^[\w.-]+$|^\[[\da-f:.]+\]$/i
const ADDRESS = /^[^\s<>@",;:\\()]+@[\w.-]+$/

const smtpUrl = text.refine(
  (url) => serverAt(url) !== null,
  'must be smtp://user:password@host:587, smtps://…:465, or smtp://…?starttls=off; percent-encode special characters',
)

/** One line: a line break would begin another header. */
const sender = text
  .max(300)
  .regex(/^\P{Cc}*$/u, 'must be one line')
  .refine((from) => mailFrom(from) !== null, 'must be an address, or a name with an address: Rescue <sos@example.com>')

/** Mail to contacts and operators. */
export const smtpSection = section({
  url: optional(secretOf(smtpUrl)),
  from: optional(sender),
  perSecond: rate(100).default(5),
  connections: wholeNumber(1, 50).default(4),
})

/**
 * The mail server. TLS from the first byte with `smtps:`; with `smtp:` STARTTLS, which the server must offer, unless it
 * is this machine or the address says `?starttls=off`. Null: no such address.
 */
export function serverAt(url: string) {
  const parsed = URL.parse(url)
  const starttls = parsed?.searchParams.get('starttls') ?? null
  if (parsed === null || !/^smtps?:$/.test(parsed.protocol) || !HOST.test(parsed.hostname)) return null
  const { username, password, pathname, hash, port, protocol, searchParams } = parsed
  const isPlain = /^\/?$/.test(pathname) && hash === '' && [...searchParams.keys()].every((key) => key === 'starttls')
  if (!isPlain || (starttls !== null && (starttls !== 'off' || protocol === 'smtps:'))) return null
  if ((username === '') !== (password === '')) return null
  const [user, pass] = [decoded(username), decoded(password)]
  if (user === null || pass === null) return null
  const host = parsed.hostname.replace(/^\[|\]$/g, '')
  return {
    host,
    port: port === '' ? (protocol === 'smtps:' ? SECURED_PORT : SUBMISSION_PORT) : Number(port),
    security:
      protocol === 'smtps:'
        ? ('tls' as const)
        : isThisMachine(host) || starttls
          ? ('none' as const)
          : ('starttls' as const),
    login: user === '' ? null : { user, pass },
  }
}

export const isThisMachine = (host: string): boolean => /^(localhost|127\.\d+\.\d+\.\d+|::1)$/i.test(host)

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

/** `sos@example.com` or `Rescue <sos@example.com>`. */
export function mailFrom(from: string): { readonly name: string; readonly address: string } | null {
  const [, name = '', named] = /^([^<>]*)<([^<>]+)>$/.exec(from) ?? []
  const address = (named ?? from).trim()
  return ADDRESS.test(address) ? { name: name.trim().replace(/^"(.*)"$/, '$1'), address } : null
}
