import type { Application } from './application.ts'
import type { Contact } from './contact.ts'
import { isFallback } from './fallback-contact.ts'
import type { User } from './profile.ts'

/** The failure text of a call that is not made. rules.md#calls-abroad. */
export const UNCONFIRMED_ABROAD = 'unconfirmed abroad'

/** Whether an E.164 number is one of a country (ISO 3166-1 alpha-2). */
export type IsOfCountry = (phone: string, country: string) => boolean

/**
 * The country outside which no contact of this user is called before they confirm; null: there is no such country. A
 * poster lets strangers in, who could have a number called that earns them money. rules.md#calls-abroad.
 */
export const countryOfCalls = (
  { enrolledBy }: Pick<User, 'enrolledBy'>,
  { webApp }: Pick<Application, 'webApp'>,
): string | null => (enrolledBy === null ? null : (webApp?.country ?? null))

/** Whether a contact gets SMS only. */
export const getsNoCall = (
  { phone, verifiedAt }: Pick<Contact, 'phone' | 'verifiedAt'>,
  country: string | null,
  isOfCountry: IsOfCountry,
): boolean => country !== null && verifiedAt === null && !isOfCountry(phone, country)

/**
 * The only country in which this contact of an alarm is called; null: everywhere. So are one who had confirmed, and
 * the operator's fallback contact.
 */
export const boundCountry = (
  contact: { readonly contactId: string; readonly isConfirmed?: true },
  user: Pick<User, 'enrolledBy'>,
  application: Pick<Application, 'webApp'>,
): string | null => (contact.isConfirmed || isFallback(contact) ? null : countryOfCalls(user, application))
