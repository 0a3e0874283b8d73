// One file: a CA in memory, whose parts check one another.
import { createHash, createPrivateKey, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import * as x509 from '@peculiar/x509'
import { calculateJwkThumbprint, flattenedVerify, importJWK, type JWK } from 'jose'
import { issueAuthority, newKey } from '../../src/adapters/platform/tls/issue.ts'
import { DAY } from '../../src/lib/durations.ts'
import type { Ending } from './ending.ts'

type Status = 'pending' | 'ready' | 'processing' | 'valid' | 'invalid'
type Account = { readonly id: string; readonly jwk: JWK; contact: readonly string[] }
type Challenge = { readonly type: 'http-01' | 'dns-01'; readonly token: string; status: Status; error?: object }
type Authorization = {
  readonly id: string
  readonly account: string
  readonly domain: string
  readonly challenges: readonly Challenge[]
  status: Status
}
type Order = {
  readonly id: string
  readonly account: string
  readonly domains: readonly string[]
  readonly authorizations: readonly Authorization[]
  status: Status
  chain: string | null
}

/** A step of the client, as a test may break it. */
export type Step =
  | 'directory'
  | 'nonce'
  | 'account'
  | 'order'
  | 'authorization'
  | 'challenge'
  | 'finalize'
  | 'certificate'

export type AcmeCaOptions = {
  /** The CA's time, epoch ms. */
  readonly now?: () => number
  readonly lifeMs?: number
  /** Where port 80 of every domain leads. */
  readonly port80?: () => number
  /** The answer to a token, without asking at port 80. */
  readonly answerOf?: (token: string) => string | undefined | Promise<string | undefined>
  /** The TXT records of a name. */
  readonly dnsTexts?: (name: string) => readonly string[]
}

/** A problem of RFC 8555, 6.7. */
export class Problem extends Error {
  readonly type: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>

  constructor(type: string, detail: string, status = 400, headers: Readonly<Record<string, string>> = {}) {
    super(detail)
    this.type = type
    this.status = status
    this.headers = headers
  }
}

const id = (): string => randomBytes(12).toString('base64url')
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const

/**
 * A small CA that speaks ACME (RFC 8555) over loopback HTTP: it checks every signature, nonce and URL, fetches the
 * challenges, and signs what the request asks for if it was proved. Ends with the test.
 */
export async function startAcmeCa(t: Ending, options: AcmeCaOptions = {}): Promise<AcmeCa> {
  const key = newKey()
  const authority = { key, cert: await issueAuthority(key, Date.now()) }
  const ca = new AcmeCa(authority, options)
  await ca.listen()
  t.after(() => ca.close())
  return ca
}

export class AcmeCa {
  readonly authority: { readonly key: string; readonly cert: string }
  readonly accounts = new Map<string, Account>()
  readonly orders = new Map<string, Order>()
  /** Every step that a client took, in order. */
  readonly steps: Step[] = []
  /** Called before each step; may throw a `Problem`, answer by itself (true) or wait. */
  interfere: (step: Step, response: ServerResponse) => unknown = () => {}
  /** Authorizations and orders stay as they are. */
  decides = true
  lifeMs: number
  readonly #authorizations = new Map<string, Authorization>()
  readonly #nonces = new Set<string>()
  readonly #options: AcmeCaOptions
  readonly #server = createServer((request, response) => void this.#serve(request, response))

  constructor(authority: AcmeCa['authority'], options: AcmeCaOptions) {
    this.authority = authority
    this.#options = options
    this.lifeMs = options.lifeMs ?? 90 * DAY
  }

  async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  get directory(): string {
    return `${this.url}/directory`
  }

  /** That of another CA, as far as a client can tell. */
  get otherDirectory(): string {
    return `${this.directory}/other`
  }

  /** How often a step was taken. */
  count(step: Step): number {
    return this.steps.filter((one) => one === step).length
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const [, first = '', name = '', last = ''] = (request.url ?? '').split('/')
      const nonce = id()
      this.#nonces.add(nonce)
      response.setHeader('replay-nonce', nonce)
      const body = await textOf(request)
      const step = stepOf(first, last)
      this.steps.push(step)
      if ((await this.interfere(step, response)) === true) return
      const answer = await this.#answer(first, name, last, { request, body, response })
      if (typeof answer === 'string') response.end(answer)
      else response.setHeader('content-type', 'application/json').end(JSON.stringify(answer))
    } catch (error) {
      if (response.headersSent || response.destroyed) return void response.destroy()
      const { type, status, headers, message } =
        error instanceof Problem ? error : new Problem('serverInternal', String(error), 500)
      response.writeHead(status, { 'content-type': 'application/problem+json', ...headers })
      response.end(JSON.stringify({ type: `urn:ietf:params:acme:error:${type}`, detail: message }))
    }
  }

  async #answer(
    first: string,
    name: string,
    last: string,
    { request, body, response }: { request: IncomingMessage; body: string; response: ServerResponse },
  ): Promise<object | string> {
    if (first === 'directory') {
      const at = (path: string): string => `${this.url}/${path}`
      return { newNonce: at('new-nonce'), newAccount: at('new-account'), newOrder: at('new-order') }
    }
    if (first === 'new-nonce') return ''
    const { account, jwk, payload } = await this.#verified(request, body)
    if (first === 'new-account') return this.#account(jwk!, payload, response)
    if (account === null) throw new Problem('accountDoesNotExist', 'no such account')
    if (first === 'account') {
      account.contact = payload.contact
      return { status: 'valid', contact: account.contact }
    }
    if (first === 'new-order') return this.#newOrder(account, payload, response)
    if (first === 'authorization') return this.#authorizationView(this.#own(this.#authorizations, name, account))
    if (first === 'challenge') {
      const authorization = this.#own(this.#authorizations, name, account)
      const challenge = authorization.challenges.find(({ token }) => token === last)!
      if (this.decides) await this.#check(authorization, challenge, account)
      return this.#challengeView(authorization, challenge)
    }
    const order = this.#own(this.orders, name, account)
    if (last === 'finalize') await this.#finalize(order, payload)
    if (last === 'certificate') return order.chain!
    return this.#orderView(order)
  }

  /** RFC 8555, 6.2 to 6.5. */
  async #verified(request: IncomingMessage, body: string) {
    if (request.method !== 'POST') throw new Problem('malformed', 'POST only', 405)
    if (request.headers['content-type'] !== 'application/jose+json') throw new Problem('malformed', 'no JWS', 415)
    const jws = JSON.parse(body)
    const header = JSON.parse(Buffer.from(jws.protected, 'base64url').toString())
    if (header.url !== `${this.url}${request.url}`) throw new Problem('unauthorized', 'another URL is signed', 401)
    if (!this.#nonces.delete(header.nonce)) throw new Problem('badNonce', 'an unknown nonce')
    if ((header.kid === undefined) === (header.jwk === undefined)) throw new Problem('malformed', 'kid or jwk')
    const account = header.kid === undefined ? null : (this.accounts.get(header.kid.split('/').at(-1)) ?? null)
    const jwk: JWK | undefined = header.jwk ?? account?.jwk
    if (jwk === undefined) throw new Problem('accountDoesNotExist', 'no such account')
    const { payload } = await flattenedVerify(jws, await importJWK(jwk, 'ES256'), { algorithms: ['ES256'] })
    const text = Buffer.from(payload).toString()
    return { account, jwk: header.jwk as JWK | undefined, payload: text === '' ? null : JSON.parse(text) }
  }

  #account(
    jwk: JWK,
    payload: { contact?: readonly string[]; termsOfServiceAgreed?: boolean },
    response: ServerResponse,
  ) {
    if (payload.termsOfServiceAgreed !== true) throw new Problem('userActionRequired', 'accept the terms')
    const known = [...this.accounts.values()].find((account) => account.jwk.x === jwk.x)
    const account = known ?? { id: id(), jwk, contact: payload.contact ?? [] }
    this.accounts.set(account.id, account)
    response.statusCode = known === undefined ? 201 : 200
    response.setHeader('location', `${this.url}/account/${account.id}`)
    return { status: 'valid', contact: account.contact }
  }

  #newOrder(account: Account, payload: { identifiers: { type: string; value: string }[] }, response: ServerResponse) {
    const domains = payload.identifiers.map(({ value }) => value)
    const authorizations = domains.map((domain): Authorization => {
      const isWildcard = domain.startsWith('*.')
      const kinds = isWildcard ? (['dns-01'] as const) : (['http-01', 'dns-01'] as const)
      const challenges = kinds.map((type): Challenge => ({ type, token: `${id()}${id()}`, status: 'pending' }))
      return { id: id(), account: account.id, domain: domain.replace('*.', ''), challenges, status: 'pending' }
    })
    for (const one of authorizations) this.#authorizations.set(one.id, one)
    const order: Order = { id: id(), account: account.id, domains, authorizations, status: 'pending', chain: null }
    this.orders.set(order.id, order)
    response.statusCode = 201
    response.setHeader('location', `${this.url}/order/${order.id}`)
    return this.#orderView(order)
  }

  #own<T extends { readonly account: string }>(all: ReadonlyMap<string, T>, name: string, account: Account): T {
    const found = all.get(name)
    if (found === undefined || found.account !== account.id) throw new Problem('malformed', 'not found', 404)
    return found
  }

  #orderView(order: Order) {
    const { authorizations, domains } = order
    if (order.status === 'pending' && authorizations.some(({ status }) => status === 'invalid'))
      order.status = 'invalid'
    if (order.status === 'pending' && authorizations.every(({ status }) => status === 'valid')) order.status = 'ready'
    return {
      status: order.status,
      identifiers: domains.map((value) => ({ type: 'dns', value })),
      authorizations: authorizations.map((one) => `${this.url}/authorization/${one.id}`),
      finalize: `${this.url}/order/${order.id}/finalize`,
      ...(order.chain !== null && { certificate: `${this.url}/order/${order.id}/certificate` }),
    }
  }

  #authorizationView(authorization: Authorization) {
    return {
      identifier: { type: 'dns', value: authorization.domain },
      status: authorization.status,
      challenges: authorization.challenges.map((one) => this.#challengeView(authorization, one)),
    }
  }

  #challengeView(authorization: Authorization, { type, token, status, error }: Challenge) {
    return { type, url: `${this.url}/challenge/${authorization.id}/${token}`, token, status, ...(error && { error }) }
  }

  async #check(authorization: Authorization, challenge: Challenge, account: Account): Promise<void> {
    const expected = `${challenge.token}.${await calculateJwkThumbprint(account.jwk)}`
    const isProved =
      challenge.type === 'http-01'
        ? (await this.#fetched(authorization.domain, challenge.token)) === expected
        : this.#texts(authorization.domain).includes(createHash('sha256').update(expected).digest('base64url'))
    challenge.status = isProved ? 'valid' : 'invalid'
    authorization.status = challenge.status
    if (!isProved) {
      challenge.error = { type: 'urn:ietf:params:acme:error:unauthorized', detail: 'Invalid response\nfrom 192.0.2.1' }
    }
  }

  #texts(domain: string): readonly string[] {
    return this.#options.dnsTexts?.(`_acme-challenge.${domain}`) ?? []
  }

  async #fetched(domain: string, token: string): Promise<string> {
    const { port80, answerOf } = this.#options
    if (answerOf !== undefined) return (await answerOf(token)) ?? ''
    const port = port80?.()
    const path = `/.well-known/acme-challenge/${token}`
    return new Promise((resolve, reject) => {
      httpRequest({ host: '127.0.0.1', port, path, headers: { host: domain }, agent: false }, (response) =>
        textOf(response).then(resolve, reject),
      )
        .on('error', () => resolve(''))
        .end()
    })
  }

  async #finalize(order: Order, { csr }: { readonly csr: string }): Promise<void> {
    this.#orderView(order)
    if (order.status !== 'ready') throw new Problem('orderNotReady', `the order is ${order.status}`, 403)
    const request = new x509.Pkcs10CertificateRequest(Buffer.from(csr, 'base64url'))
    if (!(await request.verify())) throw new Problem('badCSR', 'a wrong signature')
    const names = request.extensions
      .filter((extension) => extension instanceof x509.SubjectAlternativeNameExtension)
      .flatMap((extension) => extension.names.toJSON().map(({ value }) => value))
    if (names.toSorted().join() !== order.domains.toSorted().join()) throw new Problem('badCSR', 'other names')
    order.status = 'processing'
    if (!this.decides) return
    order.chain = await this.issue(names, request)
    order.status = 'valid'
  }

  /** The chain for a request. */
  async issue(
    names: readonly string[],
    { publicKey }: Pick<x509.Pkcs10CertificateRequest, 'publicKey'>,
  ): Promise<string> {
    const now = (this.#options.now ?? Date.now)()
    const issuer = new x509.X509Certificate(this.authority.cert)
    const leaf = await x509.X509CertificateGenerator.create({
      serialNumber: randomBytes(8).toString('hex'),
      notBefore: new Date(now),
      notAfter: new Date(now + this.lifeMs),
      subject: '',
      issuer: issuer.subjectName,
      publicKey,
      signingKey: createPrivateKey(this.authority.key).toCryptoKey(ALGORITHM, true, ['sign']),
      signingAlgorithm: ALGORITHM,
      extensions: [
        new x509.SubjectAlternativeNameExtension(names.map((value) => ({ type: 'dns' as const, value }))),
        await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
      ],
    })
    return `${leaf.toString('pem')}\n${this.authority.cert}`
  }
}

function stepOf(first: string, last: string): Step {
  switch (first) {
    case 'directory':
      return 'directory'
    case 'new-nonce':
      return 'nonce'
    case 'account':
    case 'new-account':
      return 'account'
    case 'authorization':
      return 'authorization'
    case 'challenge':
      return 'challenge'
    default:
      return last === 'finalize' ? 'finalize' : last === 'certificate' ? 'certificate' : 'order'
  }
}
