import { isAllowedDestination } from '../../core/account/contact.ts'
import { personLanguages } from '../../core/account/profile.ts'
import type { AskedRemoval, RemovalText } from '../../core/account/removal-text.ts'
import type { Session } from '../../core/account/session.ts'
import { removalText } from '../../core/message/phone-code-text.ts'
import { RateLimiter } from '../../core/pacing/rate-limiter.ts'
import { DAY, HOUR, MINUTE } from '../../lib/durations.ts'
import type { Log } from '../../ports/log.ts'
import type { AccountStore, ApplicationStore, IncidentStore, RemovalTextStore, SmsStore } from '../../ports/store.ts'
import { type TextNeeds, textToUser } from './text-to-user.ts'

type NewsNeeds = TextNeeds & {
  readonly store: RemovalTextStore &
    Pick<SmsStore, 'phoneProof'> &
    Pick<AccountStore, 'user'> &
    Pick<ApplicationStore, 'application'> &
    Pick<IncidentStore, 'openIncident'>
  readonly log: Log
}

/** Whoever has the phone asks and undoes as often as they like: the first texts have told the person. */
const PER_USER = { times: 3, perMs: DAY }
const PER_SITE = { times: 100, perMs: HOUR }
const MAX_USERS = 5_000
/** The 72 h go on meanwhile. */
const LASTS_MS = DAY
const AGAIN_MS = 5 * MINUTE
/** A try that waits behind alarms ends before the next one may begin, on this node or another. */
const TRY_MS = 4 * MINUTE
/** In one look, and at a time. */
const AT_ONCE = 20

/** Whether it was sent, may have been, or never will be. */
type Told = 'told' | 'later' | 'never'

/** Texts to people that something is taken away. */
export type RemovalNews = {
  /** Returns at once. */
  tell(session: Pick<Session, 'userId'>, asked: AskedRemoval): void
  /** Tries due texts, including those of a node that has ended. */
  look(): Promise<void>
  stop(): void
}

/**
 * Tells a user's proved number that a phone or the whole user is taken away: the phone that asks for it may be in
 * somebody else's hand. Behind every alarm, and never while the user's silent alarm is open. A text is stored until it
 * has left: a crash in between may send it twice. app.md#removing.
 */
export function removalNews({ store, clock, ids, sendText, log }: NewsNeeds): RemovalNews {
  const [ofUser, ofSite] = [new RateLimiter(PER_USER, MAX_USERS), new RateLimiter(PER_SITE, 1)]
  const trying = new Set<string>()
  let isStopped = false

  /** Counted only if this user has a number to text: nobody without one uses up the others' allowance. */
  function mayTell(userId: string): boolean {
    const now = clock.now()
    if (ofUser.waitMs(userId, now) === 0 && ofSite.take('', now) && ofUser.take(userId, now)) return true
    log.warn({ userId }, 'too many texts about removals: this one is left out')
    return false
  }

  async function recipient(userId: string) {
    const [proof, user] = await Promise.all([store.phoneProof(userId), store.user(userId)])
    if (proof === null || proof.takenAt !== null || user === null) return null
    const application = await store.application(user.appId)
    if (application === null || !isAllowedDestination(proof.phone, application.allowedPrefixes)) return null
    return { name: application.name, languages: personLanguages(user, application), to: proof.phone }
  }

  async function send({ userId, asked, until }: RemovalText): Promise<Told> {
    if (clock.now() >= until) return 'never'
    const found = await recipient(userId)
    if (found === null) return 'never'
    if ((await store.openIncident(userId))?.incident.silent) return 'later'
    const { name, languages, to } = found
    const text = removalText(languages, name, asked)
    const lapses = Math.min(until, clock.now() + TRY_MS)
    const outcome = await textToUser({ clock, ids, sendText }, languages, { to, text, until: lapses })
    return outcome.kind === 'failed' && outcome.retryable ? 'later' : 'told'
  }

  async function tryOne(text: RemovalText): Promise<void> {
    const { id, userId } = text
    if (isStopped || trying.has(id) || trying.size >= AT_ONCE) return
    trying.add(id)
    try {
      if (!(await store.claimRemovalText(text, clock.now() + AGAIN_MS))) return
      const told = await send(text)
      if (told === 'later') return
      await store.dropRemovalText(id)
      if (told === 'told') log.info({ userId }, 'a user was told by SMS that something is removed')
    } catch (error) {
      log.warn({ err: error, userId }, 'could not tell a user that something is removed')
    } finally {
      trying.delete(id)
    }
  }

  async function keep(userId: string, asked: AskedRemoval): Promise<void> {
    if ((await recipient(userId)) === null || !mayTell(userId)) return
    const now = clock.now()
    const text: RemovalText = { id: ids.uuid(), userId, asked, until: now + LASTS_MS, dueAt: now }
    if (await store.keepRemovalText(text)) await tryOne(text)
    else log.warn({ userId }, 'too many texts about removals wait: this one is left out')
  }

  return {
    tell({ userId }, asked) {
      if (isStopped) return
      void keep(userId, asked).catch((error) =>
        log.warn({ err: error, userId }, 'could not keep the text that something is removed'),
      )
    },

    async look() {
      if (isStopped || trying.size >= AT_ONCE) return
      for (const text of await store.dueRemovalTexts(clock.now(), AT_ONCE)) void tryOne(text)
    },

    /** Texts still waiting go out after the next start. */
    stop() {
      isStopped = true
    },
  }
}
