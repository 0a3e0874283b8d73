import type { FastifyInstance } from 'fastify'
import type { HttpParts } from '../parts.ts'
import type { OperatorParts } from './parts.ts'
import { managementRoutes } from './routes/accounts.ts'
import { actuatorRoutes } from './routes/actuators.ts'
import { applicationRoutes } from './routes/applications.ts'
import { operatorContactRoutes } from './routes/contacts.ts'
import { drillRoutes } from './routes/drills.ts'
import { eventRoutes } from './routes/events.ts'
import { incidentRoutes } from './routes/incidents.ts'
import { mailRoutes } from './routes/mail.ts'
import { ownAccountRoutes } from './routes/own-account.ts'
import { readinessRoutes } from './routes/readiness.ts'
import { sessionRoutes } from './routes/session.ts'
import { shiftRoutes } from './routes/shift.ts'
import { systemRoutes } from './routes/system.ts'
import { textRoutes } from './routes/texts.ts'
import { trackerTokenRoutes } from './routes/tracker-tokens.ts'
import { trackerRoutes } from './routes/trackers.ts'
import { userRoutes } from './routes/users.ts'
import { operatorTimerRoutes } from './timers.ts'

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
    applicationRoutes(parts),
    actuatorRoutes(parts),
    textRoutes(parts),
    userRoutes(parts),
    operatorContactRoutes(parts),
    readinessRoutes(parts),
    operatorTimerRoutes(needs),
    trackerRoutes(parts),
    trackerTokenRoutes(parts),
    drillRoutes(parts),
    shiftRoutes(parts),
    mailRoutes(parts),
    systemRoutes(parts),
  ]) {
    addFamily(app)
  }
}
