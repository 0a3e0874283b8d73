import type { FastifyInstance } from 'fastify'
import type { HttpParts } from '../parts.ts'
import { actuatorRoutes } from './actuators.ts'
import { applicationRoutes } from './applications.ts'
import { operatorContactRoutes } from './contacts.ts'
import { mailRoutes } from './mail.ts'
import type { OperatorParts } from './parts.ts'
import { readinessRoutes } from './readiness.ts'
import { managementRoutes } from './routes/accounts.ts'
import { drillRoutes } from './routes/drills.ts'
import { eventRoutes } from './routes/events.ts'
import { incidentRoutes } from './routes/incidents.ts'
import { ownAccountRoutes } from './routes/own-account.ts'
import { sessionRoutes } from './routes/session.ts'
import { shiftRoutes } from './routes/shift.ts'
import { systemRoutes } from './routes/system.ts'
import { trackerTokenRoutes } from './routes/tracker-tokens.ts'
import { trackerRoutes } from './routes/trackers.ts'
import { textRoutes } from './texts.ts'
import { operatorTimerRoutes } from './timers.ts'
import { userRoutes } from './users.ts'

/** The operator API: everything that the console does (protocol.md#operator-api). */
export function addOperatorRoutes(
  app: FastifyInstance,
  parts: Pick<HttpParts, 'log' | 'clock' | 'map'> & { readonly operator: OperatorParts },
): void {
  const needs = { log: parts.log, ...parts.operator, ...parts.operator.estate }
  for (const addFamily of [
    sessionRoutes(parts),
    incidentRoutes(parts),
    ownAccountRoutes(parts),
    managementRoutes(parts),
    eventRoutes(parts),
    applicationRoutes(needs),
    actuatorRoutes(needs),
    textRoutes(needs),
    userRoutes(needs),
    operatorContactRoutes(needs),
    readinessRoutes(needs),
    operatorTimerRoutes(needs),
    trackerRoutes(parts),
    trackerTokenRoutes(parts),
    drillRoutes(parts),
    shiftRoutes(parts),
    mailRoutes(needs),
    systemRoutes(parts),
  ]) {
    addFamily(app)
  }
}
