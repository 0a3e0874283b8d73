import { isAllowedDestination } from '../../core/account/contact.ts'
import { personLanguages } from '../../core/account/profile.ts'
import type { Session } from '../../core/account/session.ts'
import { type AskedRemoval, removalText } from '../../core/message/phone-code-text.ts'
import { RateLimiter } from '../../core/pacing/rate-limiter.ts'
import { DAY, HOUR, MINUTE } from '../../lib/durations.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { AccountStore, ApplicationStore, IncidentStore, SmsStore } from '../../ports/store.ts'
import { type TextNeeds, textToUser } from './text-to-user.ts'

type NewsNeeds = Omit<TextNeeds, 'clock'> & {
  readonly store: Pick<SmsStore, 'phoneProof'> &
    Pick<AccountStore, 'user'> &
    Pick<ApplicationStore, 'application'> &
    Pick<IncidentStore, 'openIncident'>
  readonly clock: Pick<Clock, 'now' | 'after'>
  readonly log: Log
}

/** Whoever has the phone asks and undoes as often as they like: the first texts have told the person. */
const PER_USER = { times: 3, perMs: DAY }
const PER_SITE = { times: 100, perMs: HOUR }
const MAX_USERS = 5_000
/** Texts that wait, in memory. */
const MAX_WAITING = 100
/** The 72 h go on meanwhile. */
const LASTS_MS = DAY
const AGAIN_MS = 5 * MINUTE

/** Whether it was sent, may have been, or never will be. */
type Told = 'told' | 'later' | 'never'
type Trying = { readonly until: number; isCounted: boolean }

/**
 * Tells a user's proved number that a phone or the whole user is taken away: the phone that asks for it may be in
 * somebody else's hand. Behind every alarm, and never while the user's silent alarm is open. app.md#removing.
 */
export function removalNews({ store, clock, ids, sendText, log }: NewsNeeds) {
  const [ofUser, ofSite] = [new RateLimiter(PER_USER, MAX_USERS), new RateLimiter(PER_SITE, 1)]
  let waiting = 0
  let isStopped = false
  const pauses = new Set<() => void>()

  const pause = (): Promise<void> =>
    new Promise((resolve) => {
      const cancel = clock.after(AGAIN_MS, end)
      function end(): void {
        cancel()
        pauses.delete(end)
        resolve()
      }
      pauses.add(end)
    })

  /** Counted once it is clear that this user has a number to be told at: nobody else uses up what others need. */
  function mayTell(userId: string): boolean {
    const now = clock.now()
    if (ofUser.waitMs(userId, now) === 0 && ofSite.take('', now) && ofUser.take(userId, now)) return true
    log.warn({ userId }, 'too many texts about removals: this one is left out')
    return false
  }

  async function tell({ appId, userId }: Session, asked: AskedRemoval, trying: Trying): Promise<Told> {
    const [proof, application, user, open] = await Promise.all([
      store.phoneProof(userId),
      store.application(appId),
      store.user(userId),
      store.openIncident(userId),
    ])
    if (proof === null || proof.takenAt !== null || application === null) return 'never'
    if (!isAllowedDestination(proof.phone, application.allowedPrefixes)) return 'never'
    if (!trying.isCounted && !mayTell(userId)) return 'never'
    trying.isCounted = true
    if (open?.incident.silent) return 'later'
    const { until } = trying
    const languages = personLanguages(user, application)
    const text = removalText(languages, application.name, asked)
    const outcome = await textToUser({ clock, ids, sendText }, languages, { to: proof.phone, text, until })
    return outcome.kind === 'failed' && outcome.retryable ? 'later' : 'told'
  }

  async function insist(session: Session, asked: AskedRemoval): Promise<void> {
    const until = clock.now() + LASTS_MS
    const trying: Trying = { until, isCounted: false }
    for (;;) {
      const told = await tell(session, asked, trying).catch((error): Told => {
        log.warn({ err: error, userId: session.userId }, 'could not tell a user that something is removed')
        return 'later'
      })
      if (told === 'told') log.info({ userId: session.userId }, 'a user was told by SMS that something is removed')
      if (told !== 'later' || isStopped || clock.now() + AGAIN_MS >= until) return
      await pause()
      if (isStopped) return
    }
  }

  return {
    /** Returns at once. */
    tell(session: Session, asked: AskedRemoval): void {
      if (isStopped) return
      if (waiting >= MAX_WAITING) {
        log.warn({ userId: session.userId }, 'too many texts about removals wait: this one is left out')
        return
      }
      waiting += 1
      void insist(session, asked).finally(() => {
        waiting -= 1
      })
    },

    /** What waits is not sent any more. */
    stop(): void {
      isStopped = true
      for (const end of pauses) end()
    },
  }
}
