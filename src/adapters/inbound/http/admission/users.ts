import type { identify } from '../../../../app/connections/identify.ts'
import type { FamilyAdmission, Logging } from './admission.ts'
import { requireSession } from './session.ts'
import { limitUsers, throttleOf } from './throttle.ts'

/** Needs of the admission of users. */
export type UserAdmission = Logging & { readonly identify: ReturnType<typeof identify> }

/** Requests of apps, each in the session of its user (protocol.md#rest). */
export const users: FamilyAdmission<UserAdmission> = {
  admit(scope, family, { identify }) {
    requireSession(scope, family, { identify, slowDown: throttleOf(scope).slowDown })
    limitUsers(scope, family)
  },
  describe: () => ({ security: [{ appId: [], userId: [], userHash: [] }], statuses: [401] }),
}
