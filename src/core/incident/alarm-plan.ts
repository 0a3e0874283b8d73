import type { Actuators } from '../account/actuator.ts'
import type { Application, FallbackContact } from '../account/application.ts'
import { isCanary } from '../account/canary.ts'
import type { Contact } from '../account/contact.ts'
import { fallbackContactId } from '../account/fallback-contact.ts'
import { type BoardWatch, hasDuties, type OnCall, type OnCallPlan, watchedAtOf } from '../account/on-call.ts'
import type { User } from '../account/profile.ts'
import type { PlanSettings, Settings } from '../account/settings.ts'
import { type IntegrationChannel, integrationChannels } from './delivery.ts'
import type { ContactActuator, IncidentContact } from './incident.ts'

/** The fields of a contact that a plan needs. */
export type PlannedContact = Omit<
  IncidentContact,
  | 'token'
  | 'acknowledgedAt'
  | 'answeredRound'
  | 'response'
  | 'resentAt'
  | 'toldOfHelp'
  | 'gone'
  | 'joined'
  | 'correctionOf'
  | 'removedAt'
  | 'removedByOperator'
  | 'stopped'
  | 'knowsAfterAll'
  | 'restarted'
  | 'onCall'
>

/** Everything that decides whom an alarm of this owner reaches, and how. The store reads it anew for every alert. */
export type AlarmPlan = {
  readonly appId: string
  readonly userId: string
  readonly externalUserId: string
  readonly legacy: boolean
  readonly settings: Settings
  readonly actuators: Actuators
  /** Every new incident is silent. */
  readonly silentByDefault?: true
  /** Contacts with an address get mails as well. */
  readonly email?: true
  /** In priority order. */
  readonly contacts: readonly PlannedContact[]
  /** Absent where nobody is ever on duty. */
  readonly onCall?: OnCallPlan
}

/** The integration channels that the plan configures. */
export const integrationsOf = ({ actuators }: AlarmPlan): readonly IntegrationChannel[] =>
  integrationChannels.filter((type) => actuators[type] !== undefined)

/** The `contactActuator` of an incident with this plan. */
export const contactActuatorOf = (plan: AlarmPlan): ContactActuator | null => {
  const configured = plan.actuators.emergency_contacts
  if (configured === undefined) return null
  return { httpChannel: configured.httpUrl !== undefined, ...(plan.email && { email: true }) }
}

type Owner = {
  readonly user: Pick<User, 'id' | 'externalUserId'>
  readonly application: Pick<
    Application,
    'id' | 'legacy' | 'language' | 'settings' | 'actuators' | 'fallbackContact' | 'silentByDefault'
  >
  /** In the order of their priorities. */
  readonly contacts: readonly PlannedContact[]
  readonly onCall?: OnCall | null
  readonly boardWatch?: BoardWatch | null
}

/** The alarm plan of an owner, with the settings in force: the application's own over those of the site. */
export function alarmPlanOf(
  { user, application, contacts, onCall, boardWatch = null }: Owner,
  { email, ...defaults }: PlanSettings,
): AlarmPlan {
  const { id, legacy, language, settings, actuators, fallbackContact, silentByDefault } = application
  const ordered = withStrangersLast(contacts)
  return {
    appId: id,
    userId: user.id,
    externalUserId: user.externalUserId,
    legacy,
    settings: { ...defaults, ...settings },
    actuators,
    ...(silentByDefault && { silentByDefault }),
    ...(email && { email }),
    ...(onCall &&
      hasDuties(onCall) &&
      !isCanary(id) && { onCall: { list: onCall, watchedAt: watchedAtOf(boardWatch, id) } }),
    contacts: fallbackContact === null ? ordered : withFallback(ordered, id, fallbackContact, language),
  }
}

/** The application's fallback contact as the last entry of a cascade with `ahead` contacts before it. */
export const fallbackEntry = (
  appId: string,
  { name, phone }: FallbackContact,
  { language, ahead }: { readonly language: string; readonly ahead: number },
): PlannedContact => ({ contactId: fallbackContactId(appId), name, phone, email: null, language, priority: ahead + 1 })

/** The fallback contact comes last; it comes first if every other contact is left for last. sms.md#wrong-number. */
function withFallback(
  contacts: readonly PlannedContact[],
  appId: string,
  fallback: FallbackContact,
  language: string,
): readonly PlannedContact[] {
  const isFirst = contacts.length > 0 && contacts.every(isAlarmedLast)
  const entry = fallbackEntry(appId, fallback, { language, ahead: isFirst ? 0 : contacts.length })
  return isFirst
    ? [entry, ...contacts.map((contact, index) => ({ ...contact, priority: index + 2 }))]
    : [...contacts, entry]
}

/** Whether a contact is alarmed after the others, without position and link. sms.md#wrong-number. */
export const isAlarmedLast = ({ isStranger, isStopped }: Pick<PlannedContact, 'isStranger' | 'isStopped'>): boolean =>
  isStranger === true || isStopped === true

/** A contact who does not know the user, or stopped messages, must not delay the others. sms.md#wrong-number. */
function withStrangersLast(contacts: readonly PlannedContact[]): readonly PlannedContact[] {
  if (!contacts.some(isAlarmedLast)) return contacts
  const ordered = [...contacts.filter((contact) => !isAlarmedLast(contact)), ...contacts.filter(isAlarmedLast)]
  return ordered.map((contact, index) => ({ ...contact, priority: index + 1 }))
}

/** The fields of a contact that a plan needs. */
export const plannedContactOf = (contact: Omit<Contact, 'userId' | 'createdAt' | 'updatedAt'>): PlannedContact => ({
  contactId: contact.id,
  name: contact.name,
  phone: contact.phone,
  email: contact.email,
  language: contact.language,
  priority: contact.priority,
  ...(contact.declinedAt !== null && { isStranger: true as const }),
  ...(contact.stoppedAt !== null && { isStopped: true as const }),
  ...(contact.verifiedAt !== null && { isConfirmed: true as const }),
})
