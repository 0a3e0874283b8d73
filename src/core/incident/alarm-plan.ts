import type { Application } from '../account/application.ts'
import type { Contact } from '../account/contact.ts'
import type { User } from '../account/profile.ts'
import { fallbackEntry } from './fallback-entry.ts'
import type { AlarmPlan, PlannedContact } from './incident.ts'
import type { Settings } from './settings.ts'

type Owner = {
  readonly user: Pick<User, 'id' | 'externalUserId'>
  readonly application: Pick<
    Application,
    'id' | 'legacy' | 'language' | 'settings' | 'actuators' | 'fallbackContact' | 'silentByDefault'
  >
  /** In the order of their priorities. */
  readonly contacts: readonly PlannedContact[]
}

/** The alarm plan of an owner, with the settings in force: the application's own over `defaults`. */
export function alarmPlanOf({ user, application, contacts }: Owner, defaults: Settings): AlarmPlan {
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
    contacts:
      fallbackContact === null
        ? ordered
        : [...ordered, fallbackEntry(id, fallbackContact, { language, place: contacts.length })],
  }
}

/** A contact who does not know the user must not delay the others. rules.md#verification. */
function withStrangersLast(contacts: readonly PlannedContact[]): readonly PlannedContact[] {
  if (!contacts.some(({ isStranger }) => isStranger)) return contacts
  const ordered = [
    ...contacts.filter(({ isStranger }) => !isStranger),
    ...contacts.filter(({ isStranger }) => isStranger),
  ]
  return ordered.map((contact, place) => ({ ...contact, priority: place + 1 }))
}

/** The fields of a contact that a plan needs. */
export const plannedContactOf = (
  contact: Omit<Contact, 'userId' | 'verifiedAt' | 'createdAt' | 'updatedAt'>,
): PlannedContact => ({
  contactId: contact.id,
  name: contact.name,
  phone: contact.phone,
  email: contact.email,
  language: contact.language,
  priority: contact.priority,
  ...(contact.declinedAt !== null && { isStranger: true as const }),
})
