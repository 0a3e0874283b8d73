import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createSecureContext, TLSSocket } from 'node:tls'
import { issueAuthority, issueServer, newKey } from '../../src/adapters/platform/tls/issue.ts'
import type { Ending } from './ending.ts'
import { until } from './wait.ts'

/** A stage of the conversation: connected, and each command. `END`: the dot after the message. */
export type SmtpStage = 'GREETING' | 'EHLO' | 'STARTTLS' | 'AUTH' | 'MAIL' | 'RCPT' | 'DATA' | 'END'

/** What the server does at a stage in place of its usual reply: a reply, silence, or the end of the connection. */
export type SmtpAct = `${number} ${string}` | 'hang' | 'close'

export type ReceivedMail = {
  readonly from: string
  readonly to: readonly string[]
  /** Unfolded. */
  readonly header: (name: string) => string | null
  readonly subject: string
  readonly text: string
  readonly raw: string
  readonly isSecure: boolean
  readonly login: string | null
}

export type SmtpServerOptions = {
  /** `tls`: from the first byte; `starttls`: offered; `none`. */
  readonly security?: 'tls' | 'starttls' | 'none'
  readonly login?: { readonly user: string; readonly pass: string }
  /** Takes every mail and keeps none. */
  readonly loses?: boolean
}

/** A mail server of the tests' own, on a free loopback port: RFC 5321, STARTTLS, AUTH PLAIN and PIPELINING. */
export class SmtpServer {
  readonly mails: ReceivedMail[] = []
  /** What happens at a stage from now on. */
  readonly acts: Partial<Record<SmtpStage, SmtpAct>> = {}
  /** The reply to a message waits for it. */
  holds: Promise<void> | null = null
  /** Commands so far. */
  readonly heard: string[] = []
  /** Connections so far. */
  connections = 0
  /** The certificate of its authority, in PEM. */
  readonly ca: string
  readonly port: number
  readonly #sockets: ReadonlySet<Socket>

  constructor(port: number, ca: string, sockets: ReadonlySet<Socket>) {
    this.port = port
    this.ca = ca
    this.#sockets = sockets
  }

  /** Connections that are open. */
  get open(): number {
    return this.#sockets.size
  }

  /** The nth mail to this address, once it is here. */
  async mailTo(address: string, nth = 1): Promise<ReceivedMail> {
    const here = () => this.mails.filter(({ to }) => to.includes(address))
    await until(`a mail to ${address}`, () => here().length >= nth)
    return here()[nth - 1]!
  }
}

export async function startSmtpServer(t: Ending, options: SmtpServerOptions = {}): Promise<SmtpServer> {
  const { security = 'none', login, loses = false } = options
  const tls = security === 'none' ? null : await issued()
  const sockets = new Set<Socket>()
  let smtp: SmtpServer | null = null
  const listener = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    if (smtp === null) return
    smtp.connections += 1
    const secured = () => new TLSSocket(socket, { isServer: true, secureContext: tls!.context })
    converse({ smtp, socket: security === 'tls' ? secured() : socket, secured, ...{ security, login, loses } })
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  smtp = new SmtpServer((listener.address() as AddressInfo).port, tls?.ca ?? '', sockets)
  t.after(async () => {
    for (const socket of sockets) socket.destroy()
    listener.close()
    await once(listener, 'close')
  })
  return smtp
}

async function issued() {
  const key = newKey()
  const authority = { key, cert: await issueAuthority(key, Date.now()) }
  const { key: own, cert } = await issueServer(authority, ['127.0.0.1'], Date.now())
  return { ca: authority.cert, context: createSecureContext({ key: own, cert }) }
}

type Conversation = Required<Pick<SmtpServerOptions, 'security' | 'loses'>> & {
  readonly smtp: SmtpServer
  readonly socket: Socket
  readonly secured: () => TLSSocket
  readonly login: SmtpServerOptions['login']
}

function converse({ smtp, socket: first, secured, security, login, loses }: Conversation): void {
  let socket = first
  let isSecure = security === 'tls'
  let [from, to, user]: [string, string[], string | null] = ['', [], null]
  let buffered = ''
  let isMessage = false
  const stageOf = (line: string): SmtpStage => {
    const word = line.split(/[ :]/, 1)[0]!.toUpperCase()
    return (word === 'HELO' ? 'EHLO' : word) as SmtpStage
  }
  /** True: the usual reply is due. */
  const isUsual = (stage: SmtpStage): boolean => {
    const act = smtp.acts[stage]
    if (act === undefined) return true
    if (act === 'close') socket.destroy()
    else if (act !== 'hang') say(act)
    return false
  }
  const say = (...lines: string[]): void => void socket.write(lines.map((line) => `${line}\r\n`).join(''))
  const message = (raw: string): void => {
    if (!loses) smtp.mails.push(received({ from, to, raw, isSecure, login: user }))
    if (smtp.holds !== null) void smtp.holds.then(() => say('250 2.0.0 queued'))
    else if (isUsual('END')) say('250 2.0.0 queued')
  }
  const command = (line: string) => {
    smtp.heard.push(line)
    const stage = stageOf(line)
    if (line.toUpperCase() === 'QUIT') return say('221 bye')
    if (line.toUpperCase() === 'RSET') return say('250 reset')
    if (!isUsual(stage)) return
    switch (stage) {
      case 'EHLO': {
        const offers = [
          ...(security === 'starttls' && !isSecure ? ['STARTTLS'] : []),
          ...(login === undefined ? [] : ['AUTH PLAIN']),
        ]
        return say(...['mail.test', 'PIPELINING', ...offers].map((one) => `250-${one}`), '250 8BITMIME')
      }
      case 'STARTTLS':
        if (security !== 'starttls') return say('502 5.5.1 not implemented')
        say('220 go ahead')
        socket.removeAllListeners('data')
        socket = secured()
        isSecure = true
        return hear()
      case 'AUTH': {
        const [, name = '', pass = ''] = Buffer.from(line.split(' ')[2] ?? '', 'base64')
          .toString()
          .split('\0')
        if (name !== login?.user || pass !== login.pass) return say('535 5.7.8 no')
        user = name
        return say('235 2.7.0 welcome')
      }
      case 'MAIL':
        if (login !== undefined && user === null) return say('530 5.7.0 log in first')
        ;[from, to] = [/<(.*)>/.exec(line)?.[1] ?? '', []]
        return say('250 sender ok')
      case 'RCPT':
        to.push(/<(.*)>/.exec(line)?.[1] ?? '')
        return say('250 recipient ok')
      case 'DATA':
        if (to.length === 0) return say('554 no recipient')
        isMessage = true
        return say('354 go on')
      default:
        return say('500 what?')
    }
  }
  const hear = (): void => {
    socket.setEncoding('utf8')
    socket.on('error', () => {})
    socket.on('data', (chunk: string) => {
      buffered += chunk
      for (;;) {
        const end = isMessage ? buffered.indexOf('\r\n.\r\n') : buffered.indexOf('\r\n')
        if (end === -1) return
        const text = buffered.slice(0, end)
        buffered = buffered.slice(end + (isMessage ? 5 : 2))
        if (isMessage) {
          isMessage = false
          message(text)
        } else command(text)
      }
    })
  }
  hear()
  if (isUsual('GREETING')) say('220 mail.test ESMTP')
}

function received({
  from,
  to,
  raw,
  isSecure,
  login,
}: Pick<ReceivedMail, 'from' | 'to' | 'raw' | 'isSecure' | 'login'>): ReceivedMail {
  const plain = raw.replace(/^\.\./gm, '.')
  const end = plain.indexOf('\r\n\r\n')
  const head = plain.slice(0, end).replace(/\r\n[ \t]+/g, ' ')
  const header = (name: string): string | null => new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1] ?? null
  const body = plain.slice(end + 4).replaceAll('\r\n', '\n')
  const encoding = header('Content-Transfer-Encoding')
  const text =
    encoding === 'base64'
      ? Buffer.from(body, 'base64').toString()
      : encoding === 'quoted-printable'
        ? quotedPrintable(body.replace(/=\n/g, ''))
        : body
  return { from, to: [...to], raw, isSecure, login, header, subject: words(header('Subject') ?? ''), text }
}

const quotedPrintable = (text: string): string =>
  Buffer.from(
    text.replace(/=([\dA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString()

/** RFC 2047. */
const words = (text: string): string =>
  text
    .replace(/\?= =\?/g, '?==?')
    .replace(/=\?utf-8\?(.)\?([^?]*)\?=/gi, (_, kind: string, encoded: string) =>
      kind.toUpperCase() === 'B'
        ? Buffer.from(encoded, 'base64').toString()
        : quotedPrintable(encoded.replaceAll('_', ' ')),
    )
