import { machineOperations } from './machine-operations.ts'
import type { Operation } from './operation.ts'
import { accountOperations } from './operator/operations/accounts.ts'
import { applicationOperations } from './operator/operations/applications.ts'
import { drillOperations } from './operator/operations/drills.ts'
import { estateOperations } from './operator/operations/estate.ts'
import { incidentOperations } from './operator/operations/incidents.ts'
import { sessionOperations } from './operator/operations/session.ts'
import { shiftOperations } from './operator/operations/shift.ts'
import { trackerOperations } from './operator/operations/trackers.ts'
import * as examples from './schemas/examples.ts'

const ok = (answer: unknown) => ({ '200': answer })
const denied = { result: 'deny' }

/** By method and path. A test compares them with the routes. */
export const operations: Readonly<Record<string, Operation>> = {
  ...sessionOperations,
  ...applicationOperations,
  ...estateOperations,
  ...trackerOperations,
  ...incidentOperations,
  ...shiftOperations,
  ...drillOperations,
  ...accountOperations,
  ...machineOperations,
  'GET /healthz': {
    operationId: 'getHealth',
    description: 'Answers as long as the process runs. To find out whether the service can do its work, use `/readyz`.',
    family: null,
    answers: ok({ status: 'ok' }),
  },
  'GET /readyz': {
    operationId: 'getReadiness',
    description:
      'Checks that alerts can be stored, that the broker answers and that messages go out on time. A 503 says what is wrong.',
    family: null,
    answers: {
      '200': { status: 'ready', reasons: [] },
      '503': { status: 'not ready', reasons: ['the store cannot be written: the disk is full'] },
    },
  },
  'POST /v1/sdk/mqtt/auth/connect': {
    operationId: 'authorizeMqttConnect',
    description:
      'For an external MQTT broker: checks whether a client may connect. JSON or form-encoded. Treat anything but an allow as a deny.',
    family: 'MQTT',
    body: examples.brokerConnect,
    answers: { '200': { result: 'allow' }, '403': denied },
  },
  'POST /v1/sdk/mqtt/auth/acl': {
    operationId: 'authorizeMqttAccess',
    description:
      'For an external MQTT broker: checks whether a client may publish or subscribe. JSON or form-encoded. Treat anything but an allow as a deny.',
    family: 'MQTT',
    body: examples.brokerAccess,
    answers: { '200': { result: 'allow' }, '403': denied },
  },
}
