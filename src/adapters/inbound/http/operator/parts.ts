import type { operatorCallers } from '../../../../app/operator/callers.ts'
import type { passwordChange } from '../../../../app/operator/change-password.ts'
import type { Drills } from '../../../../app/operator/drills.ts'
import type { firstSignIn } from '../../../../app/operator/first-sign-in.ts'
import type { IncidentChanges } from '../../../../app/operator/incident-changes.ts'
import type { operatorIncidents } from '../../../../app/operator/incidents.ts'
import type { lookNotes } from '../../../../app/operator/looks.ts'
import type { management } from '../../../../app/operator/management.ts'
import type { operatorAccount } from '../../../../app/operator/operator-account.ts'
import type { OperatorShift } from '../../../../app/operator/shift.ts'
import type { signingIn } from '../../../../app/operator/sign-in.ts'
import type { MqttAddress } from '../../../../core/field/set-up.ts'
import type { EstateParts } from './estate-parts.ts'

/** The use cases behind the operator API, and what its answers say about this installation. */
export type OperatorParts = {
  readonly callers: ReturnType<typeof operatorCallers>
  readonly signIn: ReturnType<typeof signingIn>
  readonly firstSignIn: ReturnType<typeof firstSignIn>
  readonly estate: EstateParts
  readonly incidents: ReturnType<typeof operatorIncidents>
  readonly drills: Drills
  readonly shift: OperatorShift
  readonly changePassword: ReturnType<typeof passwordChange>
  readonly account: ReturnType<typeof operatorAccount>
  readonly manage: ReturnType<typeof management>
  readonly changes: IncidentChanges
  readonly noteLook: ReturnType<typeof lookNotes>
  /** As in `Addresses`: empty if there is none. */
  readonly publicUrl: () => string
  /** Where trackers reach the MQTT listener; null if it is unknown. */
  readonly trackerMqtt: MqttAddress | null
  /** As authenticator apps and the console show it. */
  readonly siteName: string
  /** The name of this node; null where there is one. */
  readonly node: string | null
}
