import { MINUTE } from '../../lib/durations.ts'
import type { Step } from './decision.ts'
import type { Delivery } from './delivery.ts'
import { endAfter } from './ending.ts'
import { type Draft, isAwaited, isContactsRow, withPlanned, withSkipped } from './escalation.ts'
import {
  type AlarmPlan,
  type Incident,
  type IncidentContact,
  type IncidentState,
  isOpen,
  type Realarms,
} from './incident.ts'
import { alarmedAgain, withNews } from './realarm.ts'
import { toldContacts } from './rounds.ts'
import { watchMs } from './settings.ts'

/** Time that a helper has to answer a check-in. rules.md#watched-answers. */
const CHECK_IN_MS = 5 * MINUTE

/**
 * Records the answer of a contact, or of the operator if `contactId` is null. The first answer acknowledges the
 * incident. Every answer ends the cascade, including one that a re-alarm restarted; chat and webhook still go out. Only
 * the first answer of a round moves a deadline. rules.md#acknowledging.
 */
export function acknowledge(
  incident: Incident,
  {
    contactId,
    name = null,
    now,
  }: { readonly contactId: string | null; readonly name?: string | null; readonly now: number },
): Step {
  if (!isOpen(incident)) return { incident }
  const contact = incident.contacts.find((known) => known.contactId === contactId)
  if (contactId !== null && contact === undefined) return { incident }
  // A contact removed before the last alarm must not end it for those who were notified. Their answer is still
  // recorded.
  if (contact?.gone) return { incident: withAnswer(incident, contact, now) }
  const isFirstOfRound = isAwaited(incident)
  const isNew = contact === undefined ? incident.state.status === 'active' : contact.acknowledgedAt === null
  if (!isNew && !isFirstOfRound && incident.watch?.asked !== true) return { incident }
  const isFirst = incident.state.status === 'active'
  const state: IncidentState = isFirst
    ? { status: 'acknowledged', acknowledgedAt: now, closedAt: null }
    : incident.state
  const answered: Incident = {
    ...incident,
    state,
    contacts: contact === undefined ? incident.contacts : withAnswer(incident, contact, now).contacts,
    lastAnswer: { at: now, contactId, name: contact?.name ?? name },
    watch: watchFrom(incident, now),
    cascade: { ...incident.cascade, phase: { name: 'answered' } },
    ...(isFirstOfRound && {
      realarms: afterAnswer(incident, now),
      autoResolveAt: endAfter(incident, now),
      isLastCallMade: false,
    }),
  }
  const skipped = withSkipped(answered, now, (row) => isContactsRow(row) || isQuestion(row))
  const isNews = isNew || isFirstOfRound
  return {
    incident: isNews ? withNews(skipped, 'acknowledged', now) : skipped,
    events: isFirst ? ['acknowledged'] : [],
  }
}

const withAnswer = (incident: Incident, contact: IncidentContact, now: number): Incident => ({
  ...incident,
  contacts: incident.contacts.map((known) => (known === contact ? { ...known, acknowledgedAt: now } : known)),
})

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

const watchFrom = ({ settings }: Incident, now: number): Incident['watch'] => {
  const patience = watchMs(settings)
  return patience === 0 ? null : { at: now + patience, asked: false }
}

/** Whether a helper ignored the check-in. If so, the decision needs the current contacts. */
export const isHelperSilent = ({ watch }: Incident, now: number): boolean => watch?.asked === true && watch.at <= now

/**
 * Sends the helper a check-in when there was no news for `watchMinutes`, and alarms the other contacts if no answer
 * comes: a contact who answers and then does nothing must not end the alarm for everyone. The status stays
 * acknowledged. rules.md#watched-answers.
 */
export function withWatch(incident: Incident, plan: AlarmPlan | null, now: number): Incident {
  const { watch } = incident
  if (!isOpen(incident) || watch === null || watch.at > now) return incident
  if (!watch.asked) return askedAgain(incident, now)
  if (plan === null) return incident
  return alarmedAgain({ ...incident, watch: null }, plan, {
    cause: { by: 'watch', again: null },
    atOnce: true,
    now,
    only: ({ acknowledgedAt }) => acknowledgedAt === null,
  })
}

function askedAgain(incident: Incident, now: number): Incident {
  const { round } = incident.cascade
  const drafts = toldContacts(incident)
    .filter(({ acknowledgedAt }) => acknowledgedAt !== null)
    .map(({ contactId }): Draft => {
      return { purpose: 'check_in', actuator: 'emergency_contacts', channel: 'sms', contactId, round, dueAt: now }
    })
  return withPlanned({ ...incident, watch: { at: now + CHECK_IN_MS, asked: true } }, drafts, now)
}
