import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../../../ports/clock.ts'
import type { Log } from '../../../../ports/log.ts'
import type { MapOwner } from '../map/site-map.ts'
import { actuatorRoutes } from './actuators.ts'
import { applicationRoutes } from './applications.ts'
import { auditRoutes } from './audit.ts'
import { operatorContactRoutes } from './contacts.ts'
import { drillRoutes } from './drills.ts'
import { eventRoutes } from './events.ts'
import { firstStepRoutes } from './first-steps.ts'
import { incidentActRoutes } from './incidents/acts.ts'
import { boardRoutes } from './incidents/board.ts'
import { caseRoutes } from './incidents/case.ts'
import { incidentExportRoutes } from './incidents/exports.ts'
import { mailRoutes } from './mail.ts'
import { operatorAccountRoutes } from './operators.ts'
import { ownAccountRoutes } from './own-account.ts'
import type { OperatorParts } from './parts.ts'
import { readinessRoutes } from './readiness.ts'
import { sessionRoutes } from './session.ts'
import { shiftRoutes } from './shift.ts'
import { systemRoutes } from './system.ts'
import { textRoutes } from './texts.ts'
import { operatorTimerRoutes } from './timers.ts'
import { apiTokenRoutes } from './tokens.ts'
import { trackerTokenRoutes } from './tracker-tokens.ts'
import { trackerRoutes } from './trackers.ts'
import { userRoutes } from './users.ts'

/** The operator API: everything that the console does (protocol.md#operator-api). */
export function addOperatorRoutes(
  app: FastifyInstance,
  parts: Pick<MapOwner, 'map'> & {
    readonly log: Log
    readonly clock: Pick<Clock, 'now'>
    readonly operator: OperatorParts
  },
): void {
  const needs = { log: parts.log, ...parts.operator, ...parts.operator.estate }
  for (const addFamily of [
    sessionRoutes(needs),
    boardRoutes(needs),
    caseRoutes(needs),
    incidentActRoutes(needs),
    incidentExportRoutes(needs),
    ownAccountRoutes(needs),
    operatorAccountRoutes(needs),
    apiTokenRoutes(needs),
    auditRoutes(needs),
    eventRoutes(needs, parts.clock),
    applicationRoutes(needs),
    actuatorRoutes(needs),
    textRoutes(needs),
    userRoutes(needs),
    operatorContactRoutes(needs),
    readinessRoutes(needs),
    operatorTimerRoutes(needs),
    trackerRoutes(needs),
    trackerTokenRoutes(needs),
    drillRoutes(needs),
    shiftRoutes(needs),
    mailRoutes(needs),
    firstStepRoutes(needs),
    systemRoutes(needs, parts),
  ]) {
    addFamily(app)
  }
}
