import type { Refused } from '../decided.ts'
import type { PersonUpdate } from './person-schema.ts'
import type { User } from './profile.ts'
import type { ProfileUpdate } from './profile-schema.ts'

/** Changes only the fields sent; null clears a field. */
export function decideUpdateProfile(
  user: User | null,
  sent: ProfileUpdate,
  now: number,
): Refused<'user_not_found'> | User {
  if (user === null) return { refused: 'user_not_found' }
  const { name = user.name, email = user.email, phone = user.phone, address = user.address } = sent
  return { ...user, name, email, phone, address, updatedAt: now }
}

/** The same by an operator, with what only operators see. */
export function decideUpdatePerson(
  user: User | null,
  sent: PersonUpdate,
  now: number,
): Refused<'user_not_found'> | User {
  const updated = decideUpdateProfile(user, sent, now)
  if ('refused' in updated) return updated
  const { language = updated.textLanguage, notes = updated.operatorNotes, groups = updated.groupNames } = sent
  return { ...updated, textLanguage: language, operatorNotes: notes, groupNames: groups }
}

/** `isToTell`: an all-clear still has to leave, or an alarm is being sent that may be owed one. */
type ErasureFacts = { readonly isOpen: boolean; readonly isToTell: boolean }

/** The user, if they may be erased now. keeping.md#erasure. */
export function decideErasure<U extends ErasureFacts>(
  user: U | null,
): Refused<'user_not_found' | 'incident_open' | 'all_clear_pending'> | U {
  if (user === null) return { refused: 'user_not_found' }
  if (user.isOpen) return { refused: 'incident_open' }
  return user.isToTell ? { refused: 'all_clear_pending' } : user
}
