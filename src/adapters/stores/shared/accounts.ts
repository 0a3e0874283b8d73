import { selected } from './columns.ts'

const ofUser = [
  'id',
  'app_id',
  'external_user_id',
  'name',
  'email',
  'phone',
  'address',
  'disabled',
  'relay',
  'enrolled_by',
  'erases_at',
  'text_language',
  'operator_notes',
  'group_names',
]

/** Columns under the names of the core's types. */
export const USER = selected('users', [...ofUser, 'created_at', 'updated_at'])
export const APPLICATION = selected('applications')
export const CONTACTS = `SELECT ${selected('contacts')} FROM contacts`
/** A user's contacts in order of priority. `userId`: the placeholder. */
export const contactsInOrder = (userId: string): string => `${CONTACTS} WHERE user_id = ${userId} ORDER BY priority`
