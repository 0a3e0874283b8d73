import type { operatorCallers } from '../../../../app/operator/callers.ts'
import type { firstSignIn } from '../../../../app/operator/first-sign-in.ts'
import type { operatorIncidents } from '../../../../app/operator/incidents.ts'
import type { signingIn } from '../../../../app/operator/sign-in.ts'
import type { EstateParts } from './estate-parts.ts'

/** The use cases behind the operator API, and what its answers say about this installation. */
export type OperatorParts = {
  readonly callers: ReturnType<typeof operatorCallers>
  readonly signIn: ReturnType<typeof signingIn>
  readonly firstSignIn: ReturnType<typeof firstSignIn>
  readonly estate: EstateParts
  readonly incidents: ReturnType<typeof operatorIncidents>
  /** As in `Addresses`: empty if there is none. */
  readonly publicUrl: () => string
  /** As authenticator apps and the console show it. */
  readonly siteName: string
  /** The name of this node; null where there is one. */
  readonly node: string | null
}
