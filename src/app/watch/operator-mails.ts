import type { AttemptOutcome } from '../../core/incident/command.ts'
import { mailSubject } from '../../core/message/mail-text.ts'
import { isSiteAdministrator, type Operator } from '../../core/operator/operator.ts'
import { HOUR, MINUTE } from '../../lib/durations.ts'
import { interruptibleWait } from '../../lib/waits.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Ids } from '../../ports/ids.ts'
import type { Log } from '../../ports/log.ts'
import type { OperatorMail } from '../../ports/operator-mail.ts'
import type { OperatorStore } from '../../ports/operator-store.ts'

/** Events this close together go into one mail. */
const COLLECT_MS = MINUTE
/** Digests in an hour. What comes in between waits for the next one. */
const MAX_AN_HOUR = 4
/** News in one digest; of more, only the number is told. */
const MAX_NEWS = 50
const MAX_TEXT_LENGTH = 4000
const MAX_RECIPIENTS = 20
/** Delays before a digest is retried for recipients that it has not reached. */
const AGAIN_MS: readonly number[] = [MINUTE, 5 * MINUTE, 15 * MINUTE]

type News = { readonly subject: string; readonly text: string }

/** A digest to one administrator. */
export type OperatorDigest = News & { readonly id: string; readonly to: string }

type Needs = {
  readonly store: Pick<OperatorStore, 'operators'>
  readonly send: (digest: OperatorDigest) => Promise<AttemptOutcome>
  /** The host of `publicUrl`, or the product: an administrator may have several sites. */
  readonly site: () => string
  readonly clock: Pick<Clock, 'now' | 'after'>
  readonly ids: Pick<Ids, 'uuid'>
  readonly log: Log
}

/** Mails to the administrators of the site, a bounded number. access.md#operator-mail. */
export function operatorMails({ store, send, site, clock, ids, log }: Needs): {
  readonly mail: OperatorMail
  stop(): Promise<void>
} {
  let waiting: News[] = []
  let omitted = 0
  const sentAt: number[] = []
  /** As last read: the news may be about the store itself. */
  let recipients: readonly string[] = []
  let isStopped = false
  let running: Promise<void> | null = null
  /** Digests that have not reached everybody yet. The next one does not wait for them. */
  const behind = new Set<{ readonly interrupt: () => void; readonly done: Promise<void> }>()
  const { wait, interrupt } = interruptibleWait(clock)

  const untilNextMs = (): number => {
    const fourth = sentAt.at(-MAX_AN_HOUR)
    return Math.max(COLLECT_MS, fourth === undefined ? 0 : fourth + HOUR - clock.now())
  }

  const readRecipients = async (): Promise<void> => {
    try {
      const all = await store.operators()
      recipients = all
        .filter(getsNews)
        .slice(0, MAX_RECIPIENTS)
        .map(({ login }) => login)
    } catch (error) {
      log.warn({ err: error }, 'could not read who gets mail about the site; those known before get it')
    }
  }

  /** Resolves with those that were not accepted and may still be. */
  const sendAll = async (digests: readonly OperatorDigest[]): Promise<readonly OperatorDigest[]> => {
    const left: OperatorDigest[] = []
    for (const digest of digests) {
      if (isStopped) break
      const outcome = await send(digest)
      if (outcome.kind === 'failed') {
        log.warn({ error: outcome.error }, 'a mail to an operator was not accepted')
        if (outcome.retryable) left.push(digest)
      }
    }
    return left
  }

  const tryAgain = (missed: readonly OperatorDigest[]): void => {
    const own = interruptibleWait(clock)
    const again = async (): Promise<void> => {
      let left = missed
      for (const againMs of AGAIN_MS) {
        if (left.length > 0 && !isStopped) await own.wait(againMs)
        left = await sendAll(left)
      }
    }
    const done = again()
      .catch((error) => log.error({ err: error }, 'could not mail the operators'))
      .finally(() => behind.delete(one))
    const one = { interrupt: own.interrupt, done }
    behind.add(one)
  }

  const digestOf = (news: readonly News[], more: number): News => {
    const others = news.length + more - 1
    const [first] = news
    return {
      subject: mailSubject(`${site()}: ${first?.subject ?? ''}${others > 0 ? ` (and ${others} more)` : ''}`),
      text: [
        ...news.map(({ subject, text }) => `${subject}\n${text}`.trim()),
        ...(more > 0 ? [`${more} more: see /readyz and the log.`] : []),
        `For administrators of ${site()} who sign in with an e-mail address. Nobody reads replies.`,
      ].join('\n\n'),
    }
  }

  const run = async (): Promise<void> => {
    while (waiting.length > 0 && !isStopped) {
      await wait(untilNextMs())
      if (isStopped) return
      await readRecipients()
      const [digest, id] = [digestOf(waiting, omitted), `news-${ids.uuid()}`]
      ;[waiting, omitted] = [[], 0]
      sentAt.push(clock.now())
      sentAt.splice(0, sentAt.length - MAX_AN_HOUR)
      const left = await sendAll(recipients.map((to, place) => ({ ...digest, to, id: `${id}.${place + 1}` })))
      if (left.length > 0) tryAgain(left)
    }
  }

  return {
    mail(subject, text) {
      if (isStopped) return
      if (waiting.length < MAX_NEWS)
        waiting.push({ subject: mailSubject(subject), text: text.slice(0, MAX_TEXT_LENGTH) })
      else omitted += 1
      running ??= run()
        .catch((error) => log.error({ err: error }, 'could not mail the operators'))
        .finally(() => {
          running = null
        })
    },
    async stop() {
      isStopped = true
      interrupt()
      for (const one of behind) one.interrupt()
      await Promise.all([running, ...[...behind].map(({ done }) => done)])
    },
  }
}

const ADDRESS = /^[^\s@]+@[^\s@]+\.[^\s@]+$/

/** An administrator of the whole site who has signed in, with an e-mail address. */
const getsNews = (operator: Operator): boolean =>
  isSiteAdministrator(operator) && operator.signedInAt !== null && ADDRESS.test(operator.login)
