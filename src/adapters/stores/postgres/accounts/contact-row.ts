import { CONTACTS } from '../../shared/accounts.ts'

export const CONTACTS_IN_ORDER = {
  name: 'contacts-in-order',
  text: `${CONTACTS} WHERE user_id = $1 ORDER BY priority`,
}
