import { isAllowedDestination } from '../../core/account/contact.ts'
import { displayName } from '../../core/account/profile.ts'
import { linkAt } from '../../core/account/public-url.ts'
import type { AttemptOutcome } from '../../core/incident/command.ts'
import { verificationText } from '../../core/message/verification-text.ts'
import { textLanguage } from '../../core/text/phrases.ts'
import { MINUTE, SECOND } from '../../lib/durations.ts'
import { interruptibleWait } from '../../lib/waits.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { Meter } from '../../ports/meter.ts'
import type { TextNotification } from '../../ports/notifier.ts'
import type {
  AccountStore,
  ApplicationStore,
  DueIncidents,
  VerificationDue,
  VerificationPlace,
  VerificationStore,
} from '../../ports/store.ts'
import { loneText } from './lone-text.ts'
import { isNothingRealDue } from './quiet.ts'

/** How soon a request from the command line, or one that had to wait, is found. */
const POLL_MS = MINUTE
/** Pause between two messages: an alarm that arrives meanwhile finds the provider's rate almost unused. */
const PAUSE_MS = 2 * SECOND

type VerificationCourierNeeds = {
  readonly store: VerificationStore &
    Pick<DueIncidents, 'nextRealActionAt'> &
    Pick<AccountStore, 'user'> &
    Pick<ApplicationStore, 'application'>
  readonly clock: Clock
  readonly log: Log
  readonly meter: Pick<Meter, 'count'>
  /** The number of incident messages that wait for their turn. */
  readonly waiting: () => number
  readonly send: (text: TextNotification) => Promise<AttemptOutcome>
  readonly publicUrl: () => string
}

export type VerificationCourier = {
  start(): void
  /** A request may wait to be sent. */
  wake(): void
  /** Resolves once nothing is being sent. */
  stop(): Promise<void>
}

/**
 * Sends verification messages, one at a time, and only while nothing of an incident is due or waits at a provider: an
 * alarm never waits behind one. A message that certainly did not leave is queued again, behind the others, so that a
 * number that every provider refuses holds up no other. One with an unknown outcome is not repeated, because it is not
 * urgent. preparing.md#verification.
 */
export function verificationCourier(needs: VerificationCourierNeeds): VerificationCourier {
  const { store, clock, log, meter, waiting } = needs
  let isStopped = false
  let isAwake = false
  /** The last request that failed: those behind it get their turn first. */
  let failed: VerificationPlace | null = null
  const { wait, interrupt } = interruptibleWait(clock)

  /** Whether there may be more to send. */
  const sendNext = async (): Promise<boolean> => {
    // Nobody could open the link in it. It leaves once publicUrl is set.
    if (linkAt(needs.publicUrl(), '') === null) return false
    if (waiting() > 0 || !(await isNothingRealDue(needs))) return false
    const behind = failed === null ? null : await store.claimVerification(clock.now(), failed)
    const due = behind ?? (await store.claimVerification(clock.now(), null))
    if (due === null) return false
    const outcome = await sent(due, needs)
    const { token, userId, contact } = due
    meter.count('verification_messages_total', { outcome: outcome.kind })
    log.info({ userId, contactId: contact.id, outcome: outcome.kind }, 'asked a contact to confirm')
    if (outcome.kind !== 'failed' || !outcome.retryable) return true
    failed = { requestedAt: due.requestedAt, token }
    await store.releaseVerification(token)
    return false
  }

  const run = async (): Promise<void> => {
    while (!isStopped) {
      isAwake = false
      const isMore = await sendNext().catch((error) => {
        if (!isStopped) log.warn({ err: error }, 'could not ask a contact to confirm; trying again in a minute')
        return false
      })
      if (!isStopped && (isMore || !isAwake)) await wait(isMore ? PAUSE_MS : POLL_MS)
    }
  }
  let running: Promise<void> = Promise.resolve()

  return {
    start() {
      running = run()
    },
    wake() {
      isAwake = true
      interrupt()
    },
    stop() {
      isStopped = true
      interrupt()
      return running
    },
  }
}

async function sent(
  due: VerificationDue,
  { store, clock, send, publicUrl }: VerificationCourierNeeds,
): Promise<AttemptOutcome> {
  const { token, appId, userId, contact } = due
  const [user, application] = await Promise.all([store.user(userId), store.application(appId)])
  if (user === null || application === null || application.disabled || user.disabled) return { kind: 'no_target' }
  // An alarm goes there anyway; a verification must not spend what the operator has ruled out.
  if (!isAllowedDestination(contact.phone, application.allowedPrefixes)) return { kind: 'no_target' }
  const languages = [contact.language, application.language]
  const link = `${publicUrl()}/v/${token}`
  const message = loneText({
    attemptId: `verify-${token.slice(0, 8)}`,
    claimedAt: clock.now(),
    channel: 'sms',
    purpose: 'verification',
    contactId: contact.id,
    to: contact.phone,
    text: verificationText(languages, { who: displayName(user), app: application.name, link }, application.texts),
    language: textLanguage(languages),
  })
  return send(message)
}
