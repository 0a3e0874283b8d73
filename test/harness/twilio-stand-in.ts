import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parse } from 'node:querystring'
import { setTimeout as sleep } from 'node:timers/promises'
// Only this: all of the library takes a process a fifth of a second of processor time.
import { getExpectedTwilioSignature } from 'twilio/lib/webhooks/webhooks.js'
import type { Ending } from './ending.ts'
import { KEEP_ALIVE_MS } from './listener.ts'
import { type Heard, listenTo } from './twilio-phone.ts'
import { all, asJson, type Form, type Kind, mistakeIn, one, type Resource, startedAt } from './twilio-rules.ts'

export type { Heard } from './twilio-phone.ts'
export { all, one, type Resource } from './twilio-rules.ts'

/** What happens to a request instead of the normal response. */
export type Reaction =
  /** Accepted, or looked up, and answered this many real milliseconds later. */
  | { readonly do: 'late'; readonly ms: number }
  /** Refused. `code` null: without a Twilio body. */
  | { readonly do: 'refuse'; readonly status: number; readonly code?: number | null; readonly retryAfter?: string }
  /** Refused, and the connection breaks. */
  | { readonly do: 'reset' }
  /** Refused, and never answered. */
  | { readonly do: 'hang' }
  | { readonly do: 'accept, then reset' }
  | { readonly do: 'accept, then hang' }
  | { readonly do: 'accept, then fail'; readonly status: number }
  /** Accepted; these statuses are called back before the response. */
  | { readonly do: 'call back first'; readonly statuses: readonly string[] }

export type Asked = 'create' | 'fetch' | 'list'

/** A request as received. `sid`: what was created or asked for; null if nothing was accepted. */
export type Request = {
  readonly kind: Kind
  readonly asks: Asked
  readonly at: number
  /** The port it came to. */
  readonly port: number
  readonly params: Form
  readonly authorization: string
  sid: string | null
}

/** A callback to the service and its response; status 0 if the service could not be reached. */
export type CalledBack = { readonly url: string; readonly params: Form; readonly status: number }

/** The progress of a create request: received completely, accepted, response on its way. */
export type Moment = 'heard' | 'accepted' | 'answered'

export type Options = {
  readonly accountSid?: string
  readonly authToken?: string
  /** Epoch ms, for a site on a virtual clock. */
  readonly now?: () => number
  /** Statuses that are called back automatically, in order, after every accepted message or call. */
  readonly callsBack?: Readonly<Partial<Record<Kind, readonly string[]>>>
  /** How long after its acceptance a message or call appears in lists, in real milliseconds. */
  readonly listsLateMs?: number
  /** A path before /2010-04-01, as behind a gateway. */
  readonly prefix?: string
}

type Plan = { readonly kind: Kind | null; readonly asks: Asked; readonly reaction: Reaction; left: number }
/** Resolves at 'heard' with `'lost'` for a request that never arrives: it is not accepted, the connection breaks. */
type Watcher = (moment: Moment, request: Request) => unknown

/** Twilio's REST API for messages and calls on loopback. Ends with the test. */
export async function startTwilio(t: Ending, options: Options = {}): Promise<TwilioStandIn> {
  const standIn = new TwilioStandIn(options)
  await standIn.listen()
  t.after(() => standIn.close())
  return standIn
}

/**
 * Implements Twilio's HTTP interface with its request validation, statuses and signatures, and records every request,
 * even while the service restarts. A real server, so that the service need not know that it is a stand-in.
 */
export class TwilioStandIn {
  readonly accountSid: string
  readonly authToken: string
  /** Every request with the right credentials, in order of arrival. */
  readonly requests: Request[] = []
  /** Requests with wrong credentials or for another account. */
  readonly refusedCredentials: Request[] = []
  readonly messages: Resource[] = []
  readonly calls: Resource[] = []
  readonly calledBack: CalledBack[] = []
  /** How often the account itself was read, and the status that it has. */
  accountReads = 0
  accountStatus = 'active'
  /** The high-water mark of requests in flight, and the number of connections opened. */
  maxAtOnce = 0
  connections = 0
  readonly #options: Options
  readonly #servers: Server[] = []
  readonly #plans: Plan[] = []
  readonly #refusedNumbers = new Map<string, Reaction>()
  readonly #watchers = new Set<Watcher>()
  readonly #calling = new Set<Promise<unknown>>()
  readonly #closing = new AbortController()
  #rewrites: readonly [from: string, to: string | Promise<string>][] = []
  #underWay = 0

  constructor(options: Options) {
    this.#options = options
    this.accountSid = options.accountSid ?? 'AC00000000000000000000000000000001'
    this.authToken = options.authToken ?? 'the auth token of the stand-in'
  }

  /** Listens on another port. Resolves with it; requests name theirs, which tells one sender from another. */
  async listen(): Promise<number> {
    const server = createServer((request, response) => {
      this.#serve(request, response).catch((error: Error) => response.destroy(error))
    })
    server.keepAliveTimeout = KEEP_ALIVE_MS
    server.on('connection', () => this.connections++)
    this.#servers.push(server)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }

  async close(): Promise<void> {
    this.#closing.abort()
    for (const server of this.#servers) {
      server.closeAllConnections()
      server.close()
    }
    await Promise.allSettled(this.#calling)
  }

  /** For `twilio.baseUrl`. */
  get baseUrl(): string {
    const { port } = this.#servers[0]!.address() as AddressInfo
    return `http://127.0.0.1:${port}${this.#options.prefix ?? ''}`
  }

  /** The configuration section `twilio` that sends here, fast enough that nothing waits for its turn. */
  config(more: Record<string, unknown> = {}): Record<string, unknown> {
    return {
      accountSid: this.accountSid,
      authToken: this.authToken,
      from: '+12025550123',
      baseUrl: this.baseUrl,
      smsPerSecond: 1000,
      callsPerSecond: 1000,
      ...more,
    }
  }

  /** Environment variables that make a process send through this. */
  get environment(): Readonly<Record<string, string>> {
    return {
      TOCSIN_NOTIFICATIONS_PROVIDERS: 'twilio',
      TOCSIN_TWILIO_ACCOUNT_SID: this.accountSid,
      TOCSIN_TWILIO_AUTH_TOKEN: this.authToken,
      TOCSIN_TWILIO_FROM: '+12025550123',
      TOCSIN_TWILIO_BASE_URL: this.baseUrl,
    }
  }

  /** The next `times` requests of that kind get this reaction. */
  reacts(asks: Asked, kind: Kind | null, reaction: Reaction, times = 1): void {
    this.#plans.push({ asks, kind, reaction, left: times })
  }

  /** From now on everything to this number gets this reaction. */
  treats(to: string, reaction: Reaction): void {
    this.#refusedNumbers.set(to, reaction)
  }

  /** Ends all reactions. */
  recovers(): void {
    this.#plans.length = 0
    this.#refusedNumbers.clear()
  }

  /** Calls `watcher`, and waits for it, at each moment of every create request. The returned function ends that. */
  watch(watcher: Watcher): () => void {
    this.#watchers.add(watcher)
    return () => void this.#watchers.delete(watcher)
  }

  /**
   * From now on callbacks to addresses that begin with `publicUrl` go to `address`, as through a proxy, but are signed
   * for `publicUrl`. They wait for an address that is not known yet.
   */
  reaches(publicUrl: string, address: string | Promise<string>): void {
    this.#rewrites = [[publicUrl, address], ...this.#rewrites]
  }

  /** Create requests, accepted or not. */
  creations(kind: Kind): readonly Request[] {
    return this.requests.filter((request) => request.asks === 'create' && request.kind === kind)
  }

  smsTo(number: string): readonly Resource[] {
    return this.messages.filter(({ params }) => params.To === number)
  }

  callsTo(number: string): readonly Resource[] {
    return this.calls.filter(({ params }) => params.To === number)
  }

  find(sid: string): Resource {
    const found = [...this.messages, ...this.calls].find((resource) => resource.sid === sid)
    if (found === undefined) throw new Error(`no resource ${sid}`)
    return found
  }

  /** Changes the status without a callback. */
  becomes(sid: string, status: string, errorCode: number | null = null): void {
    Object.assign(this.find(sid), { status, errorCode })
  }

  /**
   * Changes the status and calls back, if the request asked for that. Resolves with the HTTP statuses of the responses.
   */
  async reports(sid: string, status: string, { errorCode = null, times = 1 }: ReportOptions = {}): Promise<number[]> {
    this.becomes(sid, status, errorCode)
    const answers: number[] = []
    for (let time = 0; time < times; time++) {
      const answer = await this.#callBack(this.find(sid), status, errorCode)
      if (answer !== null) answers.push(answer)
    }
    return answers
  }

  /** Takes the call and presses these keys at its questions (null: none). Reports `in-progress` and `completed`. */
  async answerCall(sid: string, { keys = [] }: { readonly keys?: readonly (string | null)[] } = {}): Promise<Heard> {
    const call = this.find(sid)
    await this.reports(sid, 'in-progress')
    const heard = await listenTo(one(call.params, 'Twiml'), keys, (url, more) =>
      this.post(url, { ...this.#callParams(call), ...more }),
    )
    await this.reports(sid, 'completed')
    return heard
  }

  /** Resolves when every callback of `callsBack` has been made. */
  async calledAllBack(): Promise<void> {
    while (this.#calling.size > 0) await Promise.allSettled(this.#calling)
  }

  /** A signed POST to the service, as Twilio makes it. `signedFor`: another address or token than the right one. */
  async post(
    url: string,
    params: Record<string, string>,
    signed: { readonly url?: string; readonly authToken?: string; readonly signature?: string | null } = {},
  ): Promise<{ readonly status: number; readonly text: string }> {
    const signature =
      signed.signature === undefined
        ? getExpectedTwilioSignature(signed.authToken ?? this.authToken, signed.url ?? url, params)
        : signed.signature
    const [from, to] = this.#rewrites.find(([publicUrl]) => url.startsWith(publicUrl)) ?? ['', '']
    try {
      const answer = await fetch((await to) + url.slice(from.length), {
        method: 'POST',
        headers: {
          'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
          'user-agent': 'TwilioProxy/1.1',
          ...(signature !== null && { 'x-twilio-signature': signature }),
        },
        body: new URLSearchParams(params),
        signal: this.#closing.signal,
      })
      const text = await answer.text()
      this.calledBack.push({ url, params, status: answer.status })
      return { status: answer.status, text }
    } catch {
      this.calledBack.push({ url, params, status: 0 })
      return { status: 0, text: '' }
    }
  }

  async #callBack(resource: Resource, status: string, errorCode: number | null): Promise<number | null> {
    const { kind, params } = resource
    const url = one(params, 'StatusCallback')
    if (url === '' || !(kind === 'Messages' || wanted(all(params, 'StatusCallbackEvent'), status))) return null
    const error = errorCode === null ? {} : { ErrorCode: String(errorCode) }
    const shown = kind === 'Messages' ? this.#messageParams(resource) : this.#callParams(resource, status)
    return (await this.post(url, { ...shown, ...error })).status
  }

  #messageParams({ sid, params, status }: Resource): Record<string, string> {
    return {
      MessageSid: sid,
      SmsSid: sid,
      MessageStatus: status,
      SmsStatus: status,
      To: one(params, 'To'),
      From: one(params, 'From') || '+12025550199',
      AccountSid: this.accountSid,
      ApiVersion: '2010-04-01',
    }
  }

  #callParams({ sid, params }: Resource, status = 'in-progress'): Record<string, string> {
    return {
      CallSid: sid,
      CallStatus: status,
      To: one(params, 'To'),
      Called: one(params, 'To'),
      From: one(params, 'From'),
      Caller: one(params, 'From'),
      Direction: 'outbound-api',
      AccountSid: this.accountSid,
      ApiVersion: '2010-04-01',
    }
  }

  async #serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    this.maxAtOnce = Math.max(this.maxAtOnce, ++this.#underWay)
    response.once('close', () => this.#underWay--)
    const chunks: Buffer[] = []
    for await (const chunk of message) chunks.push(chunk)
    const url = new URL(message.url ?? '/', 'http://stand-in')
    const prefix = `${this.#options.prefix ?? ''}/2010-04-01/Accounts/`
    if (url.pathname === `${prefix}${this.accountSid}.json`) return this.#account(message, response)
    const path = /^(\w+)\/(Messages|Calls)(?:\/(\w+))?\.json$/.exec(
      url.pathname.startsWith(prefix) ? url.pathname.slice(prefix.length) : '',
    )
    const [, account = '', kind = 'Messages', sid = null] = (path ?? []) as [string?, string?, Kind?, string?]
    const isPost = message.method === 'POST'
    const request: Request = {
      kind,
      asks: isPost ? 'create' : sid === null ? 'list' : 'fetch',
      at: this.#now(),
      port: message.socket.localPort ?? 0,
      params: isPost
        ? (parse(Buffer.concat(chunks).toString('utf8')) as Form)
        : Object.fromEntries([...url.searchParams].map(([name, value]) => [name, value] as const)),
      authorization: message.headers.authorization ?? '',
      sid,
    }
    const right = this.#login()
    if (request.authorization !== right || account !== this.accountSid) {
      this.refusedCredentials.push(request)
      if (request.authorization !== right) return this.#refuse(response, 401, 20003, 'Authenticate')
      return this.#refuse(response, 404, 20404, 'The requested resource was not found')
    }
    this.requests.push(request)
    if (isPost) return this.#create(request, response)
    const reaction = this.#reactionTo(request)
    if (reaction !== null && (await this.#preempt(reaction, response))) return
    return sid === null ? this.#list(request, url, response) : this.#show(sid, response)
  }

  async #account({ headers: { authorization } }: IncomingMessage, response: ServerResponse): Promise<void> {
    this.accountReads += 1
    if (authorization !== this.#login()) return this.#refuse(response, 401, 20003, 'Authenticate')
    const body = { sid: this.accountSid, status: this.accountStatus, auth_token: this.authToken }
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body))
  }

  #login(): string {
    return `Basic ${Buffer.from(`${this.accountSid}:${this.authToken}`).toString('base64')}`
  }

  async #create(request: Request, response: ServerResponse): Promise<void> {
    if ((await this.#tell('heard', request)).includes('lost')) {
      response.socket?.resetAndDestroy()
      return
    }
    const mistake = mistakeIn(request.kind, request.params)
    if (mistake !== null) return this.#refuse(response, mistake.status, mistake.code, mistake.message)
    const reaction = this.#reactionTo(request)
    if (reaction !== null && (await this.#preempt(reaction, response))) return
    const resource = this.#accept(request)
    await this.#tell('accepted', request)
    switch (reaction?.do) {
      case 'accept, then reset':
        response.socket?.resetAndDestroy()
        return
      case 'accept, then hang':
        return
      case 'accept, then fail':
        return this.#refuse(response, reaction.status, 20500, 'Internal Server Error')
      case 'call back first':
        for (const status of reaction.statuses) await this.reports(resource.sid, status)
        break
      default:
    }
    // As it was when it was accepted, regardless of later reports.
    this.#answer(response, 201, asJson(this.accountSid, { ...resource, status: 'queued', errorCode: null }))
    await this.#tell('answered', request)
    const statuses = this.#options.callsBack?.[request.kind] ?? []
    const calling = (async () => {
      for (const status of statuses) await this.reports(resource.sid, status)
    })().finally(() => this.#calling.delete(calling))
    this.#calling.add(calling)
  }

  /** True if the reaction is the whole response. */
  async #preempt(reaction: Reaction, response: ServerResponse): Promise<boolean> {
    switch (reaction.do) {
      case 'late':
        await sleep(reaction.ms, undefined, { signal: this.#closing.signal }).catch(() => {})
        return false
      case 'refuse':
        if (reaction.retryAfter !== undefined) response.setHeader('retry-after', reaction.retryAfter)
        this.#refuse(response, reaction.status, reaction.code ?? null, 'as the test wants it')
        return true
      case 'reset':
        response.socket?.resetAndDestroy()
        return true
      case 'hang':
        return true
      default:
        return false
    }
  }

  #accept(request: Request): Resource {
    const { kind, params } = request
    const sid = (kind === 'Messages' ? 'SM' : 'CA') + randomBytes(16).toString('hex')
    const moments = { createdAt: this.#now(), acceptedAt: performance.now() }
    const resource: Resource = { kind, sid, params, ...moments, status: 'queued', errorCode: null }
    const kept = kind === 'Messages' ? this.messages : this.calls
    kept.push(resource)
    request.sid = sid
    return resource
  }

  #show(sid: string, response: ServerResponse): void {
    const found = [...this.messages, ...this.calls].find((resource) => resource.sid === sid)
    if (found === undefined) this.#refuse(response, 404, 20404, `The requested resource ${sid} was not found`)
    else this.#answer(response, 200, asJson(this.accountSid, found))
  }

  #list({ kind, params }: Request, url: URL, response: ServerResponse): void {
    const after = one(params, kind === 'Messages' ? 'DateSent>' : 'StartTime>')
    const day = after === '' ? Number.NEGATIVE_INFINITY : Date.parse(after.slice(0, 10))
    const found = (kind === 'Messages' ? this.messages : this.calls)
      .filter((resource) => ['To', 'From'].every((name) => !params[name] || resource.params[name] === params[name]))
      // A resource that has not left has no such date, and is not among those after one.
      .filter(
        (resource) => day === Number.NEGATIVE_INFINITY || (startedAt(resource) ?? Number.NEGATIVE_INFINITY) >= day,
      )
      .filter(({ acceptedAt }) => performance.now() - acceptedAt >= (this.#options.listsLateMs ?? 0))
      .toReversed()
    const size = Math.min(1000, Number(one(params, 'PageSize') || 50))
    const page = Number(one(params, 'Page') || 0)
    const rows = found.slice(page * size, (page + 1) * size)
    const uriOf = (place: number) => {
      const query = new URLSearchParams(url.search)
      query.set('Page', String(place))
      query.set('PageToken', `PA${rows.at(-1)?.sid ?? ''}`)
      return `/2010-04-01/Accounts/${this.accountSid}/${kind}.json?${query}`
    }
    this.#answer(response, 200, {
      [kind.toLowerCase()]: rows.map((resource) => asJson(this.accountSid, resource)),
      page,
      page_size: size,
      start: page * size,
      end: page * size + Math.max(0, rows.length - 1),
      first_page_uri: uriOf(0),
      previous_page_uri: page === 0 ? null : uriOf(page - 1),
      next_page_uri: found.length > (page + 1) * size ? uriOf(page + 1) : null,
      uri: url.pathname + url.search,
    })
  }

  #reactionTo({ kind, asks, params }: Request): Reaction | null {
    const treatment = asks === 'create' ? this.#refusedNumbers.get(one(params, 'To')) : undefined
    if (treatment !== undefined) return treatment
    const plan = this.#plans.find((made) => made.left > 0 && made.asks === asks && (made.kind ?? kind) === kind)
    if (plan === undefined) return null
    plan.left--
    return plan.reaction
  }

  async #tell(moment: Moment, request: Request): Promise<readonly unknown[]> {
    const told: unknown[] = []
    for (const watcher of this.#watchers) told.push(await watcher(moment, request))
    return told
  }

  #refuse(response: ServerResponse, status: number, code: number | null, message: string): void {
    if (code === null) {
      this.#answer(response, status, null)
      return
    }
    this.#answer(response, status, {
      code,
      message,
      more_info: `https://www.twilio.com/docs/errors/${code}`,
      status,
    })
  }

  #answer(response: ServerResponse, status: number, body: unknown): void {
    if (response.destroyed) return
    response.setHeader('date', new Date(this.#now()).toUTCString())
    if (body === null) response.writeHead(status, { 'content-type': 'text/html' }).end('<h1>no</h1>')
    else response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }

  #now(): number {
    return this.#options.now?.() ?? Date.now()
  }
}

type ReportOptions = { readonly errorCode?: number | null; readonly times?: number }

/** Maps a call's status to its event, and says whether that was requested. Without a list only the end is reported. */
function wanted(events: readonly string[], status: string): boolean {
  const event = { queued: 'initiated', initiated: 'initiated', ringing: 'ringing', 'in-progress': 'answered' }[status]
  return (events.length === 0 ? ['completed'] : events).includes(event ?? 'completed')
}
