import { MINUTE, SECOND } from '../../lib/durations.ts'
import { type Settings, watchMs } from '../account/settings.ts'
import type { AlarmPlan } from './alarm-plan.ts'
import type { Command } from './command.ts'
import type { Step } from './decision.ts'
import type { Delivery } from './delivery.ts'
import { endAfter } from './ending.ts'
import { type Draft, isAwaited, isContactsOrMail, withPlanned, withSkipped } from './escalation.ts'
import {
  type AlarmCause,
  type ContactResponse,
  type HelpPromise,
  type Incident,
  type IncidentContact,
  type IncidentState,
  isOpen,
  type Realarms,
  type TakenBy,
} from './incident.ts'
import { alarmedAgain, withdrawalsOf, withNews } from './realarm.ts'
import { isHelped, isUnable, toldContacts } from './rounds.ts'
import { wasTold, withOthersTold } from './tell-others.ts'

/** Time that a helper has to answer a check-in. rules.md#watched-answers. */
const CHECK_IN_MS = 5 * MINUTE
/** Consecutive check-ins that a contact may answer while nobody else has answered. rules.md#watched-answers. */
const MAX_PROLONGED = 2
/** How long after their announced arrival helpers are asked. rules.md#responses. */
const OVERDUE_MS = 10 * MINUTE
/** The longest arrival time that a helper may announce, in minutes. */
export const MAX_ETA_MINUTES = 120
const MAX_PROMISE_MS = MAX_ETA_MINUTES * MINUTE + OVERDUE_MS
/** A second tap this soon after a contact's answer is a slip of the finger. rules.md#responses. */
const SECOND_TAP_MS = SECOND

/**
 * Records the answer of a contact, or of the operator if `contactId` is null. The first answer acknowledges the
 * incident. Every answer ends the cascade, including one that a re-alarm restarted; chat and webhook still go out. Only
 * the first answer of a round moves a deadline. `promise`: a contact's announcement. rules.md#acknowledging.
 */
export function acknowledge(
  incident: Incident,
  {
    contactId,
    name = null,
    operatorId,
    promise: said,
    isBare,
    now,
  }: Omit<Extract<Command, { type: 'acknowledge' }>, 'type' | 'name'> & {
    readonly name?: string | null
  },
): Step {
  if (!isOpen(incident)) return { incident }
  const contact = incident.contacts.find((known) => known.contactId === contactId)
  if (contactId !== null && contact === undefined) return { incident }
  // The page was opened before the incident became silent. The answer counts, but nobody is told that the contact will
  // call.
  const promise = incident.silent && said?.kind === 'calling' ? undefined : said
  const answer = { now, promise, isBare }
  // A contact removed before the last alarm must not end it for those who were notified. Their answer is still
  // recorded.
  if (contact?.gone) return { incident: withAnswer(incident, contact, answer) }
  const prolonged = prolongedBy(incident, contact)
  if (contact !== undefined && prolonged > MAX_PROLONGED) return stillAlone(incident, contact, answer)
  const isFirstOfRound = isAwaited(incident)
  const isNew = contact === undefined ? !incident.takenBy : contact.acknowledgedAt === null
  const isChanged = promise !== undefined && !isSamePromise(contact?.response, promise) && !isSecondTap(contact, now)
  if (!isNew && !isFirstOfRound && !isChanged && incident.watch?.asked !== true) return { incident }
  const isFirst = incident.state.status === 'active'
  const state: IncidentState = isFirst
    ? { status: 'acknowledged', acknowledgedAt: now, closedAt: null }
    : incident.state
  const answered: Incident = {
    ...(contact === undefined
      ? {
          ...incident,
          takenBy: {
            at: now,
            name,
            ...(operatorId !== undefined && { operatorId }),
            round: incident.cascade.round,
            ...watchedBefore(incident),
          },
        }
      : withAnswer(incident, contact, answer)),
    state,
    lastAnswer: { at: now, contactId, name: contact?.name ?? name },
    watch: withProlonged(watchFrom(incident, contact, answer), prolonged),
    cascade: { ...incident.cascade, phase: { name: 'answered' } },
    ...(isFirstOfRound && {
      realarms: afterAnswer(incident, now),
      autoResolveAt: endAfter(incident, now),
      isLastCallMade: false,
    }),
  }
  const skipped = withSkipped(answered, now, (row) => isContactsOrMail(row) || isQuestion(row))
  // A contact who changes their mind repeatedly is not news each time.
  const isNews = isFirstOfRound || (isNew && contact?.response?.round !== incident.cascade.round)
  const told = withOthersTold(skipped, promise, now)
  return {
    incident: isNews ? withNews(told, 'acknowledged', now) : told,
    events: isFirst ? ['acknowledged'] : [],
  }
}

const watchedBefore = ({ watch, lastAnswer }: Incident): Pick<TakenBy, 'before'> =>
  watch === null || watch.withdrawn ? {} : { before: { watch, lastAnswer } }

/**
 * The number of consecutive check-ins that this contact has answered, including this answer, while nobody else has
 * answered the alarm. Throughout an alarm that started for this reason it stays above the maximum.
 */
function prolongedBy(incident: Incident, contact: IncidentContact | undefined): number {
  const { watch, lastAnswer, cascade } = incident
  if (contact === undefined || lastAnswer?.contactId !== contact.contactId || isHelped(incident, contact)) return 0
  if (isAwaited(incident)) return cascade.cause.by === 'watch' && cascade.cause.alone ? MAX_PROLONGED + 1 : 0
  const before = watch?.prolonged ?? 0
  return watch?.asked === true && !watch.withdrawn ? before + 1 : before
}

const withProlonged = (watch: Incident['watch'], prolonged: number): Incident['watch'] =>
  watch === null || prolonged === 0 ? watch : { ...watch, prolonged }

/**
 * Records that the only helper says again that they still help. The answer is kept and settles the attempts that wait
 * for this contact, but the others are alarmed: someone who only ever prolongs an answer could otherwise silence the
 * alarm for good.
 */
function stillAlone(incident: Incident, contact: IncidentContact, answer: Answer): Step {
  const { now } = answer
  const answered = withAnswer(incident, contact, answer)
  if (!isAwaited(incident)) return { incident: { ...answered, watch: { at: now, asked: true, alone: true } } }
  const isTheirs = (row: Delivery): boolean => isContactsOrMail(row) && row.contactId === contact.contactId
  return { incident: withSkipped(answered, now, isTheirs) }
}

type Answer = { readonly now: number; readonly promise: HelpPromise | undefined; readonly isBare?: true | undefined }

/** An answer without a promise leaves an earlier promise as it is. */
function withAnswer(incident: Incident, contact: IncidentContact, { now, promise }: Answer): Incident {
  // A contact who helps after all gets messages again.
  const { response, stopped, ...known } = contact
  const kept = response?.kind === 'unable' ? undefined : response
  const newest: ContactResponse | undefined =
    promise === undefined ? kept : { ...promise, at: now, round: incident.cascade.round }
  const answered: IncidentContact = {
    ...known,
    ...(stopped?.how === 'stranger' && { knowsAfterAll: true }),
    acknowledgedAt: now,
    answeredRound: incident.cascade.round,
    ...(newest && { response: newest }),
  }
  return { ...incident, contacts: incident.contacts.map((other) => (other === contact ? answered : other)) }
}

const isSamePromise = (response: ContactResponse | undefined, promise: HelpPromise): boolean =>
  response?.kind === 'coming' && promise.kind === 'coming'
    ? response.etaMinutes === promise.etaMinutes
    : response?.kind === promise.kind

/** Whether the contact has just answered, so that a tap on anything but help is taken for a slip. */
export function isSecondTap(contact: IncidentContact | undefined, now: number): boolean {
  const answeredAt = contact?.acknowledgedAt ?? null
  return answeredAt !== null && now >= answeredAt && now - answeredAt < SECOND_TAP_MS
}

/** Texts that become pointless once anyone answers. */
const isQuestion = ({ purpose }: Delivery): boolean => purpose === 'last_call' || purpose === 'check_in'

/**
 * Measures the distance to the next re-alarm from the first answer. An answer to a relay's alarm leaves the owner's
 * track alone. rules.md#re-alarm.
 */
function afterAnswer({ realarms: { owner, relay }, cascade }: Incident, now: number): Realarms {
  return {
    owner: cascade.cause.by === 'relay' ? owner : { ...owner, since: now },
    relay: { ...relay, since: now },
  }
}

/**
 * The watch after an answer: helpers are asked once the longest of their promises has passed. Promises changed without
 * a check-in extend it by at most `MAX_PROMISE_MS` in all, so that the check-in cannot be postponed for ever.
 * rules.md#watched-answers.
 */
function watchFrom(
  incident: Incident,
  contact: IncidentContact | undefined,
  { now, promise, isBare }: Answer,
): Incident['watch'] {
  const { watch, settings, cascade } = incident
  if (watchMs(settings) === 0) return null
  const isNewcomer =
    contact === undefined || (contact.acknowledgedAt === null && contact.response?.round !== cascade.round)
  const isFresh = watch === null || watch.asked || isNewcomer
  const since = isFresh ? now : (watch.since ?? now)
  const patience = isBare ? Math.min(CHECK_IN_MS, watchMs(settings)) : patienceMs(settings, promise)
  const at = Math.min(now + patience, since + MAX_PROMISE_MS)
  const isLonger = watch?.asked === false && isHelped(incident, contact)
  return { at: isLonger ? Math.max(at, watch.at) : at, asked: false, since }
}

function patienceMs(settings: Settings, promise: HelpPromise | undefined): number {
  switch (promise?.kind) {
    case 'coming':
      return promise.etaMinutes * MINUTE + OVERDUE_MS
    case 'calling':
      return OVERDUE_MS
    case undefined:
      return watchMs(settings)
    default:
      return promise satisfies never
  }
}

/** Whether a helper ignored the check-in. If so, the decision needs the current contacts. */
export const isHelperSilent = ({ watch }: Incident, now: number): boolean => watch?.asked === true && watch.at <= now

/**
 * Sends a check-in if there was no news for `watchMinutes`, and alarms the other contacts if it is not answered: a
 * contact who answers and then does nothing must not end the alarm for everyone. The status stays acknowledged.
 * rules.md#watched-answers.
 */
export function withWatch(incident: Incident, plan: AlarmPlan | null, now: number): Incident {
  const { watch } = incident
  if (!isOpen(incident) || watch === null || watch.at > now) return incident
  if (!watch.asked) return askedAgain(incident, now)
  if (plan === null) return incident
  const unable = new Set(
    toldContacts(incident).flatMap((contact) => (isUnable(contact, incident) ? contact.contactId : [])),
  )
  return alarmedAgain({ ...incident, watch: null }, plan, {
    cause: watch.withdrawn
      ? nextWithdrawal(incident)
      : { by: 'watch', again: null, ...(watch.alone && { alone: true }) },
    atOnce: true,
    now,
    only: ({ acknowledgedAt, contactId }) => acknowledgedAt === null && !unable.has(contactId),
    // These contacts believe that somebody helps.
    leads: (contact) => wasTold(contact, incident),
  })
}

function nextWithdrawal({ cascade, lastAnswer }: Incident): AlarmCause {
  const contactId = lastAnswer?.contactId ?? null
  const nth = withdrawalsOf(contactId, cascade.cause) + 1
  return { by: 'withdrawal', again: null, contactId, ...(nth > 1 && { nth }) }
}

function askedAgain(incident: Incident, now: number): Incident {
  const { round } = incident.cascade
  const drafts = toldContacts(incident)
    .filter(({ acknowledgedAt }) => acknowledgedAt !== null)
    .map(({ contactId }): Draft => {
      return { purpose: 'check_in', actuator: 'emergency_contacts', channel: 'sms', contactId, round, dueAt: now }
    })
  const asked = withProlonged({ at: now + CHECK_IN_MS, asked: true }, incident.watch?.prolonged ?? 0)
  return withPlanned({ ...incident, watch: asked }, drafts, now)
}
