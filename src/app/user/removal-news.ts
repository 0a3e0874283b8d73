import { isAllowedDestination } from '../../core/account/contact.ts'
import { personLanguages } from '../../core/account/profile.ts'
import { type AskedRemoval, type RemovalText, removalTexts } from '../../core/account/removal-text.ts'
import type { Session } from '../../core/account/session.ts'
import { removalText } from '../../core/message/phone-code-text.ts'
import { RateLimiter } from '../../core/pacing/rate-limiter.ts'
import { DAY, HOUR, MINUTE } from '../../lib/durations.ts'
import type { Log } from '../../ports/log.ts'
import type {
  AccountStore,
  ApplicationStore,
  EnrolmentStore,
  IncidentStore,
  RemovalTextStore,
  SmsStore,
} from '../../ports/store.ts'
import { type TextNeeds, textToUser } from './text-to-user.ts'

type NewsNeeds = TextNeeds & {
  readonly store: RemovalTextStore &
    Pick<EnrolmentStore, 'appDevices'> &
    Pick<SmsStore, 'phoneProof'> &
    Pick<AccountStore, 'user'> &
    Pick<ApplicationStore, 'application'> &
    Pick<IncidentStore, 'openIncident'>
  readonly log: Log
}

/** Anyone holding the phone may ask and undo without end: the first texts have told the person. */
const PER_USER = { times: 3, perMs: DAY }
const PER_SITE = { times: 100, perMs: HOUR }
const MAX_USERS = 5_000
const AGAIN_MS = 5 * MINUTE
/** A try that waits behind alarms ends before the next one may begin, on this node or another. */
const TRY_MS = 4 * MINUTE
/** In one look, and at a time. */
const AT_ONCE = 20

/** Whether it was sent, may have been, or never will be. */
type Told = 'told' | 'later' | 'never'

/** Texts to people that something is taken away. */
export type RemovalNews = {
  /**
   * The texts about something that takes effect `inMs` from now, to be kept in its commit; without the first one if
   * enough was told today, none if there is no number to tell. Rejects with a StoreError.
   */
  textsOf(
    session: Pick<Session, 'userId'>,
    about: { readonly asked: AskedRemoval; readonly inMs: number },
  ): Promise<readonly RemovalText[]>
  /** Tries the due ones of texts that are kept. Returns at once. */
  tell(texts: readonly RemovalText[]): void
  /** Tries due texts, including those of a node that has ended. */
  look(): Promise<void>
  stop(): void
}

/**
 * Tells a user's proved number that a phone or the whole user is taken away: the phone that asks for it may be in
 * somebody else's hand. Behind every alarm, and never while the user's silent alarm is open. A text is stored with
 * its removal until it has left: no crash loses it, one in between may send it twice. app.md#removing.
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

  /** `phone` null: the proved one. */
  async function recipient(userId: string, phone: string | null) {
    const [to, user] = await Promise.all([phone ?? provedOf(userId), store.user(userId)])
    const application = user === null ? null : await store.application(user.appId)
    if (to === null || user === null || application === null) return null
    if (!isAllowedDestination(to, application.allowedPrefixes)) return null
    return { name: application.name, languages: personLanguages(user, application), to }
  }

  async function provedOf(userId: string): Promise<string | null> {
    const proof = await store.phoneProof(userId)
    return proof === null || proof.takenAt !== null ? null : proof.phone
  }

  /** Epoch ms; of several, the first. Null: nothing is being taken away. */
  async function takesEffectAt({ userId, asked, phone }: RemovalText): Promise<number | null> {
    switch (asked) {
      case 'replaced':
        return (await provedOf(userId)) === phone ? null : clock.now()
      case 'phoneLeft':
      case 'trackerLeft':
        return clock.now()
      case 'phoneLeaves': {
        const moments = (await store.appDevices(userId)).flatMap(({ removedFrom }) => removedFrom ?? [])
        return moments.length === 0 ? null : Math.min(...moments)
      }
      case 'erasure':
        return (await store.user(userId))?.erasesAt ?? null
      default:
        return asked satisfies never
    }
  }

  async function send(about: RemovalText): Promise<Told> {
    const { userId, asked, until, phone } = about
    if (clock.now() >= until) return 'never'
    const found = await recipient(userId, phone)
    if (found === null) return 'never'
    if ((await store.openIncident(userId))?.incident.silent) return 'later'
    const effectAt = await takesEffectAt(about)
    // Taken back since.
    if (effectAt === null) return 'never'
    const { name: app, languages, to } = found
    const text = removalText(languages, { app, asked, inMs: effectAt - clock.now() })
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

  return {
    async textsOf({ userId }, { asked, inMs }) {
      if ((await recipient(userId, null)) === null) return []
      const [first, ...later] = removalTexts({ userId, asked }, { now: clock.now(), inMs, newId: () => ids.uuid() })
      // Using up the day's texts on a stolen phone must not keep the later one from the person. Proofs are as few as
      // codes.
      return asked === 'replaced' || mayTell(userId) ? [first!, ...later] : later
    },

    tell(texts) {
      for (const text of texts) if (text.dueAt <= clock.now()) void tryOne(text)
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
