import type { AttemptOutcome } from '../../core/incident/command.ts'
import type { Delivery } from '../../core/incident/delivery.ts'
import type { Incident } from '../../core/incident/incident.ts'
import { RateLimiter } from '../../core/pacing/rate-limiter.ts'
import { HOUR } from '../../lib/durations.ts'
import type { Notification } from '../../ports/notifier.ts'

export const TOO_MANY_MAILS: AttemptOutcome = { kind: 'failed', error: 'too many mails', retryable: false }

const AN_HOUR = { times: 30, perMs: HOUR }
const MAX_ADDRESSES = 10_000

/**
 * Counts the alarm mails of one user to one address, however many presses and contacts there are. Not those of all
 * users together: a rescue centre is the contact of many. A mail wakes nobody; SMS and calls have no such bound.
 * rules.md#email.
 */
export class AlarmMails {
  readonly #limit = new RateLimiter(AN_HOUR, MAX_ADDRESSES)

  /** Counts the notification, at `now` (epoch ms); false if it is a mail beyond the bound. */
  mayLeave({ purpose }: Delivery, notification: Notification, incident: Incident | null, now: number): boolean {
    if (notification.channel !== 'email' || purpose !== 'alarm') return true
    return this.#limit.take(`${incident?.userId} ${notification.to.toLowerCase()}`, now)
  }
}
