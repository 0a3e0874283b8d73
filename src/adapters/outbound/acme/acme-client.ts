import type { z } from 'zod'
import {
  type CaAccount,
  type CaAuthorization,
  CaError,
  type CaOrder,
  type CaSession,
  type CertificateAuthority,
  type ChallengeKind,
} from '../../../ports/certificate-authority.ts'
import { type AcmeAnswer, type AcmeHttpNeeds, callAcme, hostOf } from './acme-http.ts'
import { problemError, problemSchema, refusalText, typeOf } from './acme-problem.ts'
import { type AccountKey, accountKey, dnsText, newAccountKey } from './jws.ts'
import { oneLine } from './one-line.ts'
import {
  authorizationSchema,
  type Directory,
  directorySchema,
  type OrderShape,
  orderSchema,
  ownChallengeSchema,
} from './shapes.ts'

/** A nonce may be used up or expired: RFC 8555, 6.5. */
const MAX_NONCES = 4
const PEM_CHAIN = 'application/pem-certificate-chain'

type Needs = Omit<AcmeHttpNeeds, 'signal'> & {
  /** The mail address for the CA. */
  readonly email: string | null
}

/** A CA that speaks ACME (RFC 8555), by the address of its directory. ADR 0063. */
export const acmeAuthority = (needs: Needs): CertificateAuthority => ({
  directory: needs.directory,
  newKey: newAccountKey,
  async session(account, keep, signal) {
    const http = { ...needs, signal }
    const directory = readAs(directorySchema, await callAcme(http, { method: 'GET', url: needs.directory }), http)
    const registered = { account, keep, email: needs.email }
    const session = new Session(http, directory, await accountKey(account.key), registered)
    await session.open()
    return session
  },
})

type Registration = {
  account: CaAccount
  readonly keep: (account: CaAccount) => Promise<void>
  readonly email: string | null
}
type Posting = { readonly payload: object | null; readonly isNew?: boolean; readonly accept?: string }

class Session implements CaSession {
  readonly #http: AcmeHttpNeeds
  readonly #directory: Directory
  readonly #key: AccountKey
  readonly #registered: Registration
  #nonce: string | null = null

  constructor(http: AcmeHttpNeeds, directory: Directory, key: AccountKey, registered: Registration) {
    this.#http = http
    this.#directory = directory
    this.#key = key
    this.#registered = registered
  }

  /** Makes the account, or tells the CA a new e-mail address. */
  async open(): Promise<void> {
    const { account, email } = this.#registered
    if (account.url === null) return this.#register()
    if (account.email === email) return
    await this.#posted(account.url, { payload: { contact: contactOf(email) } })
    await this.#keep({ ...account, email })
  }

  /** RFC 8555, 7.3.1: for a key that the CA knows, it answers with the account that there is. */
  async #register(): Promise<void> {
    const { account, email } = this.#registered
    const payload = { termsOfServiceAgreed: true, contact: contactOf(email) }
    const answer = await this.#post(this.#directory.newAccount, { payload, isNew: true })
    await this.#keep({ ...account, url: this.#location(answer), email })
  }

  async #keep(account: CaAccount): Promise<void> {
    this.#registered.account = account
    await this.#registered.keep(account)
  }

  async order(domains: readonly string[]): Promise<CaOrder> {
    const payload = { identifiers: domains.map((value) => ({ type: 'dns', value })) }
    const answer = await this.#posted(this.#directory.newOrder, { payload })
    return this.#orderOf(this.#location(answer), answer)
  }

  async orderAt(url: string): Promise<CaOrder | null> {
    const answer = await this.#postedTo(url, { payload: null })
    if ([401, 403, 404, 410].includes(answer.status)) return null
    return this.#orderOf(url, this.#accepted(answer))
  }

  async authorization(url: string, kind: ChallengeKind): Promise<CaAuthorization> {
    const answer = await this.#posted(url, { payload: null })
    const { identifier, status, challenges } = readAs(authorizationSchema, answer, this.#http)
    const own = ownChallengeSchema.safeParse(challenges.find(({ type }) => type === kind)).data
    const problem = challenges.find(({ error }) => error !== undefined)?.error
    const answerTo = (token: string): string => {
      const authorization = this.#key.keyAuthorization(token)
      return kind === 'dns-01' ? dnsText(authorization) : authorization
    }
    return {
      domain: oneLine(identifier.value).toLowerCase(),
      // Deactivated, expired and revoked ones are of as little use.
      status: status === 'pending' || status === 'valid' ? status : 'invalid',
      challenge: own === undefined ? null : { url: own.url, token: own.token, answer: answerTo(own.token) },
      problem: problem === undefined ? null : refusalText(hostOf(this.#http.directory), problem),
      retryAfterMs: answer.retryAfterMs,
    }
  }

  async respond({ url }: { readonly url: string }): Promise<void> {
    await this.#posted(url, { payload: {} })
  }

  async finalize(orderUrl: string, request: Uint8Array): Promise<CaOrder> {
    const { finalize } = await this.#order(orderUrl)
    const csr = Buffer.from(request).toString('base64url')
    return this.#orderOf(orderUrl, await this.#posted(finalize, { payload: { csr } }))
  }

  async certificate(orderUrl: string): Promise<string> {
    const { certificate } = await this.#order(orderUrl)
    if (certificate === undefined) throw notAcme(this.#http)
    return (await this.#posted(certificate, { payload: null, accept: PEM_CHAIN })).body
  }

  async #order(url: string): Promise<OrderShape> {
    return readAs(orderSchema, await this.#posted(url, { payload: null }), this.#http)
  }

  #orderOf(url: string, answer: AcmeAnswer): CaOrder {
    const { status, authorizations, error } = readAs(orderSchema, answer, this.#http)
    const problem = error === undefined ? null : refusalText(hostOf(this.#http.directory), error)
    return { url, status, authorizations, problem, retryAfterMs: answer.retryAfterMs }
  }

  #location(answer: AcmeAnswer): string {
    const url = answer.header('location')
    if (url === null || !URL.canParse(url)) throw notAcme(this.#http)
    return url
  }

  async #posted(url: string, posting: Posting): Promise<AcmeAnswer> {
    return this.#accepted(await this.#postedTo(url, posting))
  }

  /** A CA that has forgotten the account is asked for another one of the same key, once. */
  async #postedTo(url: string, posting: Posting): Promise<AcmeAnswer> {
    const answer = await this.#post(url, posting)
    if (typeOf(problemIn(answer) ?? {}) !== 'accountDoesNotExist') return answer
    await this.#register()
    return this.#post(url, posting)
  }

  #accepted(answer: AcmeAnswer): AcmeAnswer {
    if (answer.status >= 200 && answer.status < 300) return answer
    throw problemError(hostOf(this.#http.directory), problemIn(answer) ?? {}, answer)
  }

  /** Each request takes a nonce, and each answer brings one. */
  async #post(url: string, { payload, isNew = false, accept }: Posting): Promise<AcmeAnswer> {
    for (let tries = 1; ; tries += 1) {
      const nonce = this.#nonce ?? (await this.#newNonce())
      this.#nonce = null
      const kid = isNew ? null : this.#registered.account.url
      const body = await this.#key.sign({ url, nonce, kid, payload })
      const answer = await callAcme(this.#http, { method: 'POST', url, body, ...(accept && { accept }) })
      this.#nonce = answer.header('replay-nonce')
      if (typeOf(problemIn(answer) ?? {}) === 'badNonce' && tries < MAX_NONCES) continue
      return isNew ? this.#accepted(answer) : answer
    }
  }

  async #newNonce(): Promise<string> {
    const answer = await callAcme(this.#http, { method: 'HEAD', url: this.#directory.newNonce })
    const nonce = answer.header('replay-nonce')
    if (nonce === null) throw notAcme(this.#http)
    return nonce
  }
}

const contactOf = (email: string | null): readonly string[] => (email === null ? [] : [`mailto:${email}`])

const problemIn = (answer: AcmeAnswer) =>
  answer.status >= 400 ? (problemSchema.safeParse(jsonOf(answer.body)).data ?? {}) : null

function readAs<T>(schema: z.ZodType<T>, answer: AcmeAnswer, http: AcmeHttpNeeds): T {
  if (answer.status >= 400) throw problemError(hostOf(http.directory), problemIn(answer) ?? {}, answer)
  const read = schema.safeParse(jsonOf(answer.body))
  if (!read.success) throw notAcme(http)
  return read.data
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const notAcme = ({ directory }: AcmeHttpNeeds): CaError =>
  new CaError(
    'unreachable',
    `${hostOf(directory)} gave an answer that is not ACME: check acme.directory, and what stands between`,
  )
