import { MINUTE, SECOND } from '../../../lib/durations.ts'
import {
  CaError,
  type CaOrder,
  type CaSession,
  type CertificateAuthority,
} from '../../../ports/certificate-authority.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import type { Proving } from './proving.ts'
import type { CertificateRecords, KeptRecords, PendingOrder, PublicCertificate } from './records.ts'

/** For the CA to decide. It takes seconds; an order that takes longer goes on at the next attempt. */
const PATIENCE_MS = 10 * MINUTE
const FIRST_WAIT_MS = SECOND
const MAX_WAIT_MS = MINUTE

export type OrderNeeds = {
  readonly authority: CertificateAuthority
  readonly records: CertificateRecords
  readonly proving: Proving
  /** A key for a certificate, in PEM. */
  readonly newKey: () => string
  /** A request for a certificate with these names and this key: PKCS #10 in DER. */
  readonly requestOf: (domains: readonly string[], key: string) => Promise<Uint8Array>
  /** The issued certificate, or why it is unusable. */
  readonly check: (
    cert: string,
    key: string,
    domains: readonly string[],
  ) => PublicCertificate | { readonly refused: string }
  readonly clock: Clock
  readonly log: Log
}

type Wanted = {
  readonly kept: KeptRecords
  readonly domains: readonly string[]
  readonly signal: AbortSignal
  /** Called before each new order. Rejects with a `CaError` if there have been too many. */
  readonly mayOrder: () => Promise<void>
}

/**
 * Gets a certificate for `domains` and stores it. Goes on with the order that an earlier attempt has left. Rejects with
 * a `CaError`, or as the store does.
 */
export async function orderCertificate(needs: OrderNeeds, wanted: Wanted): Promise<PublicCertificate> {
  const { records } = needs
  const session = await sessionOf(needs, wanted)
  const { pending, order } = (await leftOrder(needs, wanted, session)) ?? (await newOrder(needs, wanted, session))
  try {
    const certificate = await carryOut(needs, wanted, { session, pending, order })
    await records.keep('certificate', certificate)
    await records.keep('order', null)
    return certificate
  } catch (error) {
    // It would be refused again.
    if (error instanceof CaError && error.kind === 'refused') await records.keep('order', null)
    throw error
  }
}

async function sessionOf({ authority, records }: OrderNeeds, { kept, signal }: Wanted): Promise<CaSession> {
  const { directory } = authority
  const keep = (account: NonNullable<KeptRecords['account']>): Promise<void> => records.keep('account', account)
  const isKnown = kept.account?.directory === directory
  const account = isKnown ? kept.account : { directory, key: authority.newKey(), url: null, email: null }
  // Before the CA knows it: a restart must not lose the key of an account.
  if (!isKnown) await keep(account)
  return authority.session(account, keep, signal)
}

type Begun = { readonly pending: PendingOrder; readonly order: CaOrder }

/** The order of an earlier attempt, if it is for the same names and the CA still works on it. */
async function leftOrder({ authority }: OrderNeeds, wanted: Wanted, session: CaSession): Promise<Begun | null> {
  const pending = wanted.kept.order
  if (pending === null || pending.directory !== authority.directory) return null
  if (pending.domains.join() !== wanted.domains.join()) return null
  const order = await session.orderAt(pending.url)
  return order === null || order.status === 'invalid' ? null : { pending, order }
}

async function newOrder(needs: OrderNeeds, { domains, mayOrder }: Wanted, session: CaSession): Promise<Begun> {
  const { authority, records, newKey } = needs
  await mayOrder()
  const order = await session.order(domains)
  const pending = { directory: authority.directory, url: order.url, domains, key: newKey() }
  await records.keep('order', pending)
  return { pending, order }
}

async function carryOut(
  needs: OrderNeeds,
  { domains, signal }: Wanted,
  { session, pending, order }: Begun & { readonly session: CaSession },
): Promise<PublicCertificate> {
  const { authority, requestOf, check } = needs
  const { url, key } = pending
  const host = new URL(authority.directory).host
  const now = async (): Promise<CaOrder> =>
    (await session.orderAt(url)) ?? raise(`${host} does not know the order any more`)
  if (order.status === 'pending') {
    for (const one of order.authorizations) await prove(needs, { session, url: one, domains, signal })
  }
  const { status } = await settled(needs, signal, now, ['pending'])
  if (status === 'ready') await session.finalize(url, await requestOf(domains, key))
  const last = await settled(needs, signal, now, ['pending', 'ready', 'processing'])
  if (last.status !== 'valid') raise(last.problem ?? `${host} gave up the order and named no reason`)
  const checked = check(await session.certificate(url), key, domains)
  return 'refused' in checked ? raise(`${host} issued a certificate of no use: ${checked.refused}`) : checked
}

/** Proves one name. One at a time: two values at one name of the DNS would be too much for many a hook. */
async function prove(
  needs: OrderNeeds,
  {
    session,
    url,
    domains,
    signal,
  }: Pick<Wanted, 'domains' | 'signal'> & {
    readonly session: CaSession
    readonly url: string
  },
): Promise<void> {
  const { proving, authority, log } = needs
  const look = () => session.authorization(url, proving.kind)
  const { status, domain, challenge, problem } = await look()
  if (status === 'valid') return
  if (status === 'invalid') raise(problem ?? `${domain}: the authorization is invalid`)
  // The operator's command for the DNS would write it into another zone.
  if (!domains.some((one) => one.replace(/^\*\./, '') === domain)) {
    raise(`${new URL(authority.directory).host} asks for a proof of a name that was not ordered: ${domain}`)
  }
  if (challenge === null) {
    raise(`${new URL(authority.directory).host} takes no proof by ${proving.kind} for ${domain}`)
  }
  await proving.show(domain, challenge, signal)
  try {
    await session.respond(challenge)
    const last = await settled(needs, signal, look, ['pending', 'processing'])
    if (last.status !== 'valid') raise(last.problem ?? `${domain}: the CA did not accept the proof and named no reason`)
  } finally {
    if (!signal.aborted) {
      await proving.hide(domain, challenge, signal).catch((error) => {
        log.warn({ domain, reason: (error as Error).message }, 'the answer to a challenge could not be removed')
      })
    }
  }
}

/** Asks until the status is not among `waiting`. */
async function settled<T extends Pick<CaOrder, 'status' | 'retryAfterMs'>>(
  { clock, authority }: OrderNeeds,
  signal: AbortSignal,
  look: () => Promise<T>,
  waiting: readonly CaOrder['status'][],
): Promise<T> {
  const until = clock.now() + PATIENCE_MS
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, MAX_WAIT_MS)) {
    const found = await look()
    if (!waiting.includes(found.status)) return found
    if (clock.now() >= until || signal.aborted) {
      const host = new URL(authority.directory).host
      throw new CaError('slow', `${host} has not decided within ${PATIENCE_MS / MINUTE} min; the order goes on later`)
    }
    await pause(clock, Math.min(found.retryAfterMs ?? waitMs, MAX_WAIT_MS), signal)
  }
}

const pause = (clock: Clock, ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      cancel()
      signal.removeEventListener('abort', done)
      resolve()
    }
    const cancel = clock.after(ms, done)
    signal.addEventListener('abort', done)
  })

function raise(sentence: string): never {
  throw new CaError('refused', sentence)
}
