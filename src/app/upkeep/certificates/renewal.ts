import { isoAt } from '../../../core/ingest/event-time.ts'
import { DAY, MINUTE, SECOND } from '../../../lib/durations.ts'
import { interruptibleWait } from '../../../lib/waits.ts'
import { CaError } from '../../../ports/certificate-authority.ts'
import { type OrderNeeds, orderCertificate } from './order.ts'
import type { KeptRecords, OrderAttempts, PublicCertificate } from './records.ts'
import {
  attemptsFor,
  endsSoon,
  isWithinADay,
  MAX_ORDERS_A_DAY,
  nextAttempt,
  type WantedCertificate,
  whyDue,
} from './schedule.ts'

/** Soon after the start, when the listeners are open. */
const FIRST_LOOK_MS = 5 * SECOND
const LOOK_MS = 5 * MINUTE

export type RenewalNeeds = OrderNeeds & {
  readonly domains: readonly string[]
  /** Whether this node acts for the site, and the date can be trusted. */
  readonly mayRun: () => boolean
  /** Whether no other node shares the store, so that nobody can use values that this node cannot open. */
  readonly isAlone: boolean
  /** Prepares each attempt. */
  readonly prepare: () => Promise<void>
  /** A new certificate is in the store. */
  readonly onRenewed: () => Promise<void>
  /** Tells the operators, once. */
  readonly tell: (sentence: string) => void
  /** 0 to 1. */
  readonly random: () => number
}

export type Renewal = {
  start(): void
  /** Tries at once, unless the CA wants to be left alone: an operator has corrected something. */
  tryNow(): void
  /** Resolves when no attempt is under way. An order goes on after the next start. */
  stop(): Promise<void>
}

/**
 * Gets the site's certificate from the CA, and renews it after two thirds of its life. What fails is tried again, at
 * the latest after a day, and never stops anything else. ADR 0063.
 */
export function renewCertificate(needs: RenewalNeeds): Renewal {
  const { records, domains, clock, log, mayRun, tell, random } = needs
  const wanted: WantedCertificate = { directory: needs.authority.directory, domains }
  const stopping = new AbortController()
  const { wait, interrupt } = interruptibleWait(clock)
  let isUrgent = false
  let running = Promise.resolve()

  const look = async (): Promise<void> => {
    const isNow = isUrgent
    isUrgent = false
    if (!mayRun()) return
    const now = clock.now()
    const kept = await records.read()
    const { certificate } = kept
    const attempts = attemptsFor(kept.attempts, wanted, now)
    // Another node may have the right key.
    if (records.keyTrouble() !== null || (kept.trouble !== null && !needs.isAlone)) return
    if (certificate !== null && endsSoon(certificate, now) && attempts.toldOf !== certificate.to) {
      await records.keepAttempts({ ...attempts, toldOf: certificate.to })
      tell(endsSentence(kept))
    }
    if (whyDue(certificate, wanted, now) === null || now < attempts.notBefore) return
    if (now >= attempts.nextAt || isNow) await attempt()
  }

  const attempt = async (): Promise<void> => {
    // Includes the notes of `look`.
    const kept = await records.read()
    let attempts = attemptsFor(kept.attempts, wanted, clock.now())
    const note = (changes: Partial<OrderAttempts>): Promise<void> => {
      attempts = { ...attempts, ...changes }
      return records.keepAttempts(attempts)
    }
    const mayOrder = async (): Promise<void> => {
      const now = clock.now()
      const orders = attempts.orders.filter((at) => isWithinADay(at, now))
      if (orders.length >= MAX_ORDERS_A_DAY) {
        const retryAfterMs = orders[0]! + DAY - now
        throw new CaError('not_ready', `${MAX_ORDERS_A_DAY} orders in a day are enough`, retryAfterMs)
      }
      await note({ orders: [...orders, now] })
    }
    let astray: string | null = null
    try {
      await needs.prepare()
      astray = await lookAround(attempts.blindAt, note)
      const certificate = await orderCertificate(needs, { kept, domains, signal: stopping.signal, mayOrder })
      await note({ failures: 0, nextAt: 0, notBefore: 0, blindAt: 0, problem: null })
      log.info({ domains, validTo: isoAt(certificate.to) }, 'got a certificate from the CA')
      await needs.onRenewed()
    } catch (error) {
      if (stopping.signal.aborted) return
      await failed(error, astray, attempts, note)
    }
  }

  /**
   * Rejects if the CA would not find this site. A node may not find itself through its own router, so one order a day
   * is made all the same: resolves to its finding, or null.
   */
  const lookAround = async (
    blindAt: number,
    note: (changes: Partial<OrderAttempts>) => Promise<void>,
  ): Promise<string | null> => {
    const astray = await needs.proving.look(domains, stopping.signal)
    if (astray === null) return null
    if (astray.isCertain || isWithinADay(blindAt, clock.now())) throw new CaError('not_ready', astray.problem)
    await note({ blindAt: clock.now() })
    return astray.problem
  }

  const failed = async (
    error: unknown,
    astray: string | null,
    { failures: before }: OrderAttempts,
    note: (changes: Partial<OrderAttempts>) => Promise<void>,
  ): Promise<void> => {
    const isTold = error instanceof CaError
    if (!isTold) log.error({ err: error }, 'a fault while getting a certificate')
    const { kind, retryAfterMs, message } = isTold
      ? error
      : new CaError('unreachable', 'a fault of this service or its store; see the log')
    const failures = before + 1
    const problem = astray === null ? message : `${message}. This site did not find itself there either: ${astray}`
    const next = nextAttempt({ kind, retryAfterMs }, { failures, now: clock.now(), random: random() })
    await note({ failures, problem, ...next })
    log.warn({ domains, kind, reason: problem, nextAt: isoAt(next.nextAt) }, 'no certificate from the CA this time')
  }

  const run = async (): Promise<void> => {
    await wait(FIRST_LOOK_MS)
    while (!stopping.signal.aborted) {
      try {
        await look()
      } catch (error) {
        // A store that does not answer, for instance.
        log.error({ err: error }, 'could not look after the certificate; trying again')
      }
      if (!stopping.signal.aborted && !isUrgent) await wait(LOOK_MS * (0.75 + 0.5 * random()))
    }
  }

  return {
    start() {
      running = run()
    },
    tryNow() {
      isUrgent = true
      interrupt()
    },
    stop() {
      stopping.abort()
      interrupt()
      return running
    },
  }
}

/** The concern about a certificate that ends, with what stopped its renewal. */
function endsSentence({ certificate, attempts: { problem } }: KeptRecords): string {
  const { domains, to } = certificate!
  const why = problem === null ? 'its renewal has not been tried yet' : `its renewal fails: ${problem}`
  return `the certificate for ${domains.join(', ')} ends on ${isoAt(to)}, and phones will reject this site: ${why}`
}

/** A warning about the certificate for operators, as a sentence; null if all is well. */
export function certificateConcern(kept: KeptRecords, wanted: WantedCertificate, now: number): string | null {
  const { certificate, trouble } = kept
  if (trouble !== null) return trouble
  if (certificate !== null && endsSoon(certificate, now)) return endsSentence(kept)
  const { problem, nextAt } = attemptsFor(kept.attempts, wanted, now)
  const flaw = whyNotThat(certificate, wanted)
  if (flaw === null || problem === null) return null
  return `${flaw}: ${problem}${nextAt > now ? `; the next attempt is on ${isoAt(nextAt)}` : ''}`
}

/** Why the certificate is not the one that the site wants, as the beginning of a sentence; null if it is. */
function whyNotThat(certificate: PublicCertificate | null, { directory, domains }: WantedCertificate): string | null {
  if (certificate === null) return 'there is no certificate from the CA yet, and phones reject that of the local CA'
  if (certificate.directory !== directory) return 'the certificate is not from the CA of acme.directory yet'
  const missing = domains.filter((domain) => !certificate.domains.includes(domain))
  return missing.length === 0 ? null : `the certificate does not cover ${missing.join(', ')} yet`
}
