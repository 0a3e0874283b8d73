import type { FastifyInstance } from 'fastify'
import { actuatorRoutes } from './actuators.ts'
import { applicationRoutes } from './applications.ts'
import { auditRoutes } from './audit.ts'
import { contactRoutes } from './contacts.ts'
import { drillRoutes } from './drills.ts'
import { eventRoutes } from './events.ts'
import { firstStepRoutes } from './first-steps.ts'
import { actRoutes } from './incidents/acts.ts'
import { boardRoutes } from './incidents/board.ts'
import { caseRoutes } from './incidents/case.ts'
import { exportRoutes } from './incidents/exports.ts'
import { mailRoutes } from './mail.ts'
import { operatorRoutes } from './operators.ts'
import { ownAccountRoutes } from './own-account.ts'
import { readinessRoutes } from './readiness.ts'
import { sessionRoutes } from './session.ts'
import { shiftRoutes } from './shift.ts'
import { systemRoutes } from './system.ts'
import { textRoutes } from './texts.ts'
import { timerRoutes } from './timers.ts'
import { tokenRoutes } from './tokens.ts'
import { trackerTokenRoutes } from './tracker-tokens.ts'
import { trackerRoutes } from './trackers.ts'
import { userRoutes } from './users.ts'

/** In the order in which they are registered, which is that of the OpenAPI document. */
const nouns = [
  sessionRoutes,
  boardRoutes,
  caseRoutes,
  actRoutes,
  exportRoutes,
  ownAccountRoutes,
  operatorRoutes,
  tokenRoutes,
  auditRoutes,
  eventRoutes,
  applicationRoutes,
  actuatorRoutes,
  textRoutes,
  userRoutes,
  contactRoutes,
  readinessRoutes,
  timerRoutes,
  trackerRoutes,
  trackerTokenRoutes,
  drillRoutes,
  shiftRoutes,
  mailRoutes,
  firstStepRoutes,
  systemRoutes,
]

/** What all of them need together: an intersection. */
type Needs = (typeof nouns)[number] extends (needs: infer Each) => unknown ? Each : never

/** What the operator API needs beyond the rest of the interface. */
export type OperatorNeeds = Omit<Needs, 'log' | 'clock' | 'map'>

/** The operator API: everything that the console does (protocol.md#operator-api). */
export function addOperatorRoutes(app: FastifyInstance, needs: Needs): void {
  for (const routesOf of nouns) routesOf(needs)(app)
}
