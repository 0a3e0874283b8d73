import { UNCONFIRMED_ABROAD } from '../account/calls-abroad.ts'
import { MAIL_REPEAT_MS, msOf, nthWait, SMS_REPEAT_MS, SMS_RETRY_MS } from '../account/settings.ts'
import type { AttemptOutcome, Command } from './command.ts'
import type { Step } from './decision.ts'
import {
  type Channel,
  type Delivery,
  earlierTries,
  givenUp,
  isSameLease,
  isWaiting,
  isWritten,
  mayBecome,
  NO_ANSWER,
  noProvider,
} from './delivery.ts'
import { isContactsRow, isStillAsked, isWorthAsking, mayFollow, QUIET_MS, withPlanned } from './escalation.ts'
import { httpRulesOf } from './http-rules.ts'
import { type Incident, isOpen } from './incident.ts'
import { isStillTold } from './tell-others.ts'

type RecordOutcome = Extract<Command, { type: 'recordOutcome' }>
type RecordReceipt = Extract<Command, { type: 'recordReceipt' }>
type Failure = Omit<Extract<AttemptOutcome, { kind: 'failed' }>, 'kind'>
type NotFound = Extract<AttemptOutcome, { kind: 'not_found' }>

/**
 * Waits before an attempt with an unknown outcome is repeated: a doubled message beats a lost one, but the repeats must
 * end. A gateway that breaks off every request for a while must not use up all tries of an SMS at once, so those wait.
 * The next call and HTTP attempt follow anyway; a mail has most likely arrived. rules.md#unknown-outcomes.
 */
const REPEAT_WAITS_MS: Readonly<Record<Channel, readonly number[]>> = {
  sms: SMS_REPEAT_MS,
  voice: [0],
  http: [0],
  chat: [0],
  webhook: [0],
  email: MAIL_REPEAT_MS,
}
/** Failures after which another call of the round would end the same way. */
const NO_FURTHER_CALL: readonly string[] = ['invalid number', noProvider.voice, UNCONFIRMED_ABROAD]
/** Tries of any attempt but an alarm. */
const MAX_OTHER_TRIES = 10
/** Spread of the waits between HTTP deliveries, so that many incidents do not retry in step. rules.md#retries. */
const JITTER = 0.2

export const withRow = (incident: Incident, row: Delivery, changed: Delivery): Incident =>
  changed === row
    ? incident
    : { ...incident, deliveries: incident.deliveries.map((other) => (other === row ? changed : other)) }

export const replaced = (incident: Incident, row: Delivery, changes: Partial<Delivery>): Incident =>
  withRow(incident, row, { ...row, ...changes })

/**
 * Records the outcome of an attempt and, in the same commit, plans the retry or call that follows. rules.md#retries.
 */
export function withOutcome(incident: Incident, command: RecordOutcome): Step {
  const { attemptId, outcome, now, jitter } = command
  const row = incident.deliveries.find((delivery) => delivery.id === attemptId)
  if (row === undefined || isFenced(row, command)) return { incident }
  switch (outcome.kind) {
    case 'sent':
    case 'delivered': {
      const { provider, providerRef, askAfterMs } = outcome
      const askAt = outcome.kind === 'sent' && askAfterMs !== undefined ? now + askAfterMs : null
      // A receipt overtook the provider's own response, or the provider was asked and has no news.
      if (!mayBecome(row.status, outcome.kind)) {
        const known = learnt(row, { status: outcome.kind, provider, providerRef }, now)
        const asked = row.status === 'sent' ? withAskAt(known, isWorthAsking(row, now) ? askAt : null) : known
        return { incident: withRow(incident, row, asked) }
      }
      const taken = { status: outcome.kind, claim: null, provider, providerRef, askAt, updatedAt: now }
      return { incident: prolonged(replaced(incident, row, taken), row, now) }
    }
    case 'failed': {
      if (row.status !== 'scheduled') return { incident }
      const { incident: known, row: open } = outcome.mayHaveArrived ? withDoubt(incident, row) : { incident, row }
      return { incident: withFailure(known, open, outcome, now, jitter) }
    }
    case 'no_target':
      if (row.status !== 'scheduled') return { incident }
      return { incident: withRow(incident, row, givenUp(row, now)) }
    case 'unknown': {
      if (row.claim === null) return { incident }
      const claim = { ...row.claim, checkAt: now + QUIET_MS, counted: true as const }
      return { incident: replaced(incident, row, { tries: triesWith(row), claim }) }
    }
    case 'not_found':
      return repeatUnsure(incident, row, outcome, command)
    default:
      return outcome satisfies never
  }
}

/**
 * Whether to ignore the outcome: another node has taken the attempt over, or it belongs to an earlier try and was
 * recorded again because the reply to the first commit was lost. That a provider took the message is news all the same.
 * keeping.md#several-nodes.
 */
function isFenced(row: Delivery, command: RecordOutcome): boolean {
  const { lease, outcome } = command
  if (outcome.kind === 'sent' || outcome.kind === 'delivered') return false
  return command.earlierTries !== earlierTries(row) || (lease !== undefined && !isSameLease(row.claim?.by, lease))
}

/**
 * A text that gets through when its round has nothing else ahead becomes that round's last attempt: the next round
 * waits for an answer to it.
 */
function prolonged(incident: Incident, row: Delivery, now: number): Incident {
  const { cascade, settings } = incident
  const isOfRound = isContactsRow(row) && row.round === cascade.round
  if (!isOfRound || cascade.phase.name !== 'ending') return incident
  const endsAt = Math.max(cascade.phase.endsAt, now + msOf(settings.ackTimeoutSeconds))
  return { ...incident, cascade: { ...cascade, phase: { name: 'ending', endsAt } } }
}

/**
 * The number of tries once the current one has ended. An unknown outcome counts as soon as it is unknown, so that the
 * cascade does not wait for a provider without look-up. The look-up itself does not count, so that the waits stay 1, 5,
 * 15, 60 s (rules.md#retries).
 */
const triesWith = (row: Delivery): number => earlierTries(row) + 1

type News = Omit<RecordReceipt['receipt'], 'error'>

/** `row` with the news that counts even if the status stays: the provider's id, and a recipient reached after all. */
export function learnt(row: Delivery, news: News, now: number): Delivery {
  const { provider, providerRef } = news
  const isNamed = row.providerRef === null && providerRef !== null && !isOfAnother(row, news)
  const named = isNamed ? { ...row, provider, providerRef } : row
  return isReachedLate(row, news) ? { ...named, reachedAt: now } : named
}

/**
 * Whether the recipient was reached after the attempt was given up, and so must be told of the end. A report that the
 * same message was under way before it failed is old news.
 */
function isReachedLate({ status, reachedAt, providerRef }: Delivery, news: News): boolean {
  if ((status !== 'failed' && status !== 'skipped') || reachedAt !== undefined) return false
  const isOldNews = status === 'failed' && providerRef !== null && providerRef === news.providerRef
  return news.status === 'delivered' || (news.status === 'sent' && !isOldNews)
}

const withAskAt = (row: Delivery, askAt: number | null): Delivery =>
  (row.askAt ?? null) === askAt ? row : { ...row, askAt }

const isStillWanted = (incident: Incident, row: Delivery): boolean =>
  isStillAsked(incident, row) && isStillTold(incident, row)

/** `incident` with the attempt marked as one that may have arrived, and the attempt itself. */
function withDoubt(incident: Incident, row: Delivery): { readonly incident: Incident; readonly row: Delivery } {
  if (row.mayHaveArrived) return { incident, row }
  const marked: Delivery = { ...row, mayHaveArrived: true }
  return { incident: withRow(incident, row, marked), row: marked }
}

function repeatUnsure(before: Incident, found: Delivery, { error }: NotFound, command: RecordOutcome): Step {
  const { now, jitter } = command
  if (found.status !== 'scheduled' || found.claim === null) return { incident: before }
  const { incident, row } = error === undefined ? { incident: before, row: found } : withDoubt(before, found)
  const wanted = row.purpose === 'alarm' ? mayFollow(incident, row.actuator) : isStillWanted(incident, row)
  if (!wanted) return { incident: withRow(incident, row, givenUp(error === undefined ? row : { ...row, error }, now)) }
  // A try cut short by a crash, and unknown to the provider, was never made: it does not count.
  const wasLost = error === undefined && found.claim.counted === undefined
  const tries = triesWith(row)
  if (wasLost) return { incident: replaced(incident, row, { claim: null, repeats: found.claim.repeats, tries }) }
  const wait = REPEAT_WAITS_MS[row.channel][found.claim.repeats]
  if (wait === undefined || (row.purpose === 'all_clear' && tries >= MAX_OTHER_TRIES)) {
    // Final, unless it is a closing SMS, which nothing follows. Others have limits of their own.
    const retryable = !isWritten(row) || (row.channel === 'sms' && row.purpose === 'all_clear')
    return { incident: withFailure(incident, row, { error: error ?? NO_ANSWER, retryable }, now, jitter) }
  }
  // A message that the provider was asked about and does not have may be resent at once.
  const dueAt = error === undefined ? row.dueAt : now + wait
  return { incident: replaced(incident, row, { claim: null, repeats: found.claim.repeats + 1, tries, dueAt }) }
}

/** Whether the news is about another copy: one that another provider took, or the same provider under another id. */
export const isOfAnother = (row: Delivery, { provider, providerRef }: News): boolean =>
  (row.provider !== null && row.provider !== provider) ||
  (row.providerRef !== null && providerRef !== null && row.providerRef !== providerRef)

export function withFailure(
  incident: Incident,
  row: Delivery,
  failure: Failure,
  now: number,
  jitter: number,
): Incident {
  if (row.purpose !== 'alarm' || isWritten(row)) return withFailedText(incident, row, failure, now)
  const { error } = failure
  // The provider has not called yet and says when it will, so none of the round's calls is used up.
  if (row.channel === 'voice' && failure.retryAfterMs !== undefined && mayFollow(incident, row.actuator)) {
    return replaced(incident, row, againLater(row, failure, now))
  }
  const failed = replaced(incident, row, { status: 'failed', claim: null, error, updatedAt: now })
  const again = isWorthRepeating(row, failure) && mayFollow(incident, row.actuator)
  const wait = again ? waitAfter(incident, row, failure, jitter) : null
  if (wait === null) return failed
  const { purpose, actuator, channel, contactId, round } = row
  // A further call is a step of the cascade. A further HTTP try is not, and does not delay the round.
  const tries = channel === 'voice' ? 0 : triesWith(row)
  const nth = nthOf(row) + 1
  return withPlanned(failed, [{ purpose, actuator, channel, contactId, round, tries, nth, dueAt: now + wait }], now)
}

/**
 * rules.md#retries: a failed call is made again whatever the failure, unless the number does not exist or no provider
 * can call.
 */
const isWorthRepeating = (row: Delivery, failure: Failure): boolean =>
  row.channel === 'voice' ? !NO_FURTHER_CALL.includes(failure.error) : failure.retryable

const nthOf = ({ nth = 1 }: Delivery): number => nth

/** The wait before the next attempt at this row's target; null if the round has used up its attempts there. */
function waitAfter(incident: Incident, row: Delivery, failure: Failure, jitter: number): number | null {
  const { settings } = incident
  const had = nthOf(row)
  if (row.channel === 'voice') {
    // A receipt may come after the next round has begun, which calls anyway.
    if (row.round !== incident.cascade.round) return null
    return had < settings.voiceAttempts ? Math.max(msOf(settings.voiceRetrySeconds), failure.retryAfterMs ?? 0) : null
  }
  const { httpAttempts, httpBackoffSeconds } = httpRulesOf(row.channel, incident)
  if (had >= httpAttempts) return null
  const spread = 1 + JITTER * (2 * jitter - 1)
  return Math.max(Math.round(msOf(nthWait(httpBackoffSeconds, had)) * spread), failure.retryAfterMs ?? 0)
}

/** The same attempt again, when the provider asks for it, but at most after the longest wait. rules.md#retries. */
function againLater(row: Delivery, { error, retryAfterMs = 0 }: Failure, now: number): Partial<Delivery> {
  const tries = triesWith(row)
  const dueAt = now + Math.max(nthWait(SMS_RETRY_MS, tries), Math.min(retryAfterMs, Math.max(...SMS_RETRY_MS)))
  // A refusal between two unknown outcomes does not let a mail out a third time. An SMS is worth the risk.
  const { repeats = 0 } = row.claim ?? {}
  return {
    tries,
    dueAt,
    claim: null,
    error,
    updatedAt: now,
    ...(row.channel === 'email' && repeats > 0 && { repeats }),
  }
}

/**
 * A text that failed with a retryable error stays scheduled and is tried again for as long as it is wanted. A permanent
 * failure, even at only one of several providers, moves that contact's call forward to now: a deliberate step beyond
 * the specification's order (rules.md#retries).
 */
function withFailedText(incident: Incident, row: Delivery, failure: Failure, now: number): Incident {
  const tries = triesWith(row)
  const wanted =
    row.purpose === 'alarm'
      ? mayFollow(incident, row.actuator)
      : tries < MAX_OTHER_TRIES && isStillWanted(incident, row)
  if (failure.retryable && wanted) {
    const again = replaced(incident, row, againLater(row, failure, now))
    return failure.isFinalForOne ? withCallNow(again, row, now) : again
  }
  const failed = replaced(incident, row, { tries, status: 'failed', claim: null, error: failure.error, updatedAt: now })
  return withCallNow(failed, row, now)
}

/**
 * Makes the call due now if the text did not reach its contact. A repeated call keeps its distance from the previous
 * one.
 */
function withCallNow(incident: Incident, { purpose, channel, contactId }: Delivery, now: number): Incident {
  if (purpose !== 'alarm' || channel === 'email' || !isOpen(incident)) return incident
  const isFirstCall = (row: Delivery): boolean =>
    row.channel === 'voice' && row.purpose === 'alarm' && row.contactId === contactId && nthOf(row) === 1
  return {
    ...incident,
    deliveries: incident.deliveries.map((row) =>
      isWaiting(row) && isFirstCall(row) ? { ...row, dueAt: Math.min(row.dueAt, now) } : row,
    ),
  }
}
