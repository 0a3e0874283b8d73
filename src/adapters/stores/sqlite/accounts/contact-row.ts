import { CONTACTS } from '../../shared/accounts.ts'

/** Rows are as `Contact` is. */
export const CONTACTS_IN_ORDER = `${CONTACTS} WHERE user_id = +? ORDER BY priority`
