import type { FastifyInstance } from 'fastify'
import { operatorActuatorRoutes } from './actuators.ts'
import { operatorAppInvitationRoutes } from './app-invitations.ts'
import { operatorApplicationRoutes } from './applications.ts'
import { operatorAuditRoutes } from './audit.ts'
import { operatorContactRoutes } from './contacts.ts'
import { operatorDoctorRoutes } from './doctor.ts'
import { operatorDrillRoutes } from './drills.ts'
import { operatorEventRoutes } from './events.ts'
import { operatorFirstSignInRoutes } from './first-sign-in.ts'
import { operatorFirstStepRoutes } from './first-steps.ts'
import { operatorActRoutes } from './incidents/acts.ts'
import { operatorBoardRoutes } from './incidents/board.ts'
import { operatorCardRoutes } from './incidents/card.ts'
import { operatorCaseRoutes } from './incidents/case.ts'
import { operatorExportRoutes } from './incidents/exports.ts'
import { operatorMajorRoutes } from './incidents/major.ts'
import { operatorMessageRoutes } from './incidents/messages.ts'
import { operatorInvitedUserRoutes } from './invited-users.ts'
import { operatorMailRoutes } from './mail.ts'
import { operatorOnCallRoutes } from './on-call.ts'
import { operatorAccountRoutes } from './operators.ts'
import { operatorOwnAccountRoutes } from './own-account.ts'
import { operatorPasskeyRoutes } from './passkeys.ts'
import { operatorPeopleRoutes } from './people.ts'
import { operatorPeopleImportRoutes } from './people-import.ts'
import { operatorPushRoutes } from './push.ts'
import { operatorReadinessRoutes } from './readiness.ts'
import { operatorSessionRoutes } from './session.ts'
import { operatorSetupRoutes } from './setup.ts'
import { operatorShiftRoutes } from './shift.ts'
import { operatorSiteSetupRoutes } from './site-setup.ts'
import { operatorSystemRoutes } from './system.ts'
import { operatorTextRoutes } from './texts.ts'
import { operatorTimerRoutes } from './timers.ts'
import { operatorTokenRoutes } from './tokens.ts'
import { operatorPairingRoutes } from './tracker-pairing.ts'
import { operatorTrackerTokenRoutes } from './tracker-tokens.ts'
import { operatorTrackerRoutes } from './trackers.ts'
import { operatorUserRoutes } from './users.ts'

/** In the order in which they are registered, which is that of the OpenAPI document. */
const nouns = [
  operatorSessionRoutes,
  operatorFirstSignInRoutes,
  operatorSetupRoutes,
  operatorBoardRoutes,
  operatorCaseRoutes,
  operatorActRoutes,
  operatorMajorRoutes,
  operatorCardRoutes,
  operatorMessageRoutes,
  operatorExportRoutes,
  operatorOwnAccountRoutes,
  operatorPasskeyRoutes,
  operatorPushRoutes,
  operatorAccountRoutes,
  operatorTokenRoutes,
  operatorAuditRoutes,
  operatorEventRoutes,
  operatorApplicationRoutes,
  operatorActuatorRoutes,
  operatorTextRoutes,
  operatorUserRoutes,
  operatorAppInvitationRoutes,
  operatorInvitedUserRoutes,
  operatorContactRoutes,
  operatorPeopleRoutes,
  operatorPeopleImportRoutes,
  operatorReadinessRoutes,
  operatorTimerRoutes,
  operatorTrackerRoutes,
  operatorPairingRoutes,
  operatorTrackerTokenRoutes,
  operatorDrillRoutes,
  operatorShiftRoutes,
  operatorOnCallRoutes,
  operatorMailRoutes,
  operatorFirstStepRoutes,
  operatorSiteSetupRoutes,
  operatorSystemRoutes,
  operatorDoctorRoutes,
]

/** The needs of all of them together: an intersection. */
type Needs = (typeof nouns)[number] extends (needs: infer Each) => unknown ? Each : never

/** Needs of the operator API beyond those of the rest of the interface. */
export type OperatorNeeds = Omit<Needs, 'log' | 'clock' | 'map'>

/** The operator API: everything that the console does (protocol.md#operator-api). */
export function addOperatorRoutes(app: FastifyInstance, needs: Needs): void {
  for (const routesOf of nouns) routesOf(needs)(app)
}
