import type { Operation } from '../../operation.ts'
import { applicationId, exampleTime } from '../examples.ts'

const family = 'OPERATOR'
const userId = '0197f6a0-1c2d-7e3f-8a4b-5c6d7e8f9a0c'
const page = { cursor: 'WyJ1c2VycyJd', limit: 50, app: applicationId, text: 'mia' }
const list = (...items: readonly unknown[]) => ({ items, nextCursor: null, hasMore: false })

const user = {
  id: userId,
  applicationId,
  externalUserId: 'mia-7',
  name: 'Mia Moser',
  email: null,
  phone: '+436601234567',
  address: null,
  disabled: false,
  relay: false,
  createdAt: exampleTime,
  updatedAt: exampleTime,
}
const unready = {
  userId,
  applicationId,
  externalUserId: 'mia-7',
  name: 'Mia Moser',
  phone: '+436641111111',
  status: 'not_ready',
  findings: [
    {
      code: 'nobody_to_alarm',
      blocking: true,
      text: 'Nobody would be alerted.',
      remedy: 'Add an emergency contact.',
    },
  ],
}

/** Users and the system in the operator API. */
export const estateOperations = {
  'GET /v1/operator/readiness': {
    operationId: 'listReadiness',
    description:
      'Users by application and external id, each with what would prevent help. With `status=not_ready` only those whose alarm would reach nobody, with `finding` only those with that finding: such a page may be short, or empty, although `hasMore`.',
    family,
    parameters: { ...page, status: 'not_ready', finding: 'nobody_to_alarm' },
    answers: { '200': list(unready) },
  },
  'GET /v1/operator/users/{id}/readiness': {
    operationId: 'getUserReadiness',
    description: 'What would prevent help for one user.',
    family,
    parameters: { id: userId },
    answers: { '200': unready },
  },
  'GET /v1/operator/users': {
    operationId: 'listUsers',
    description:
      'Users by application and external id; `text` looks in external id, name, phone number and e-mail address. A page that had to look through very many may be short, or empty, although `hasMore`.',
    family,
    parameters: page,
    answers: { '200': list(user) },
  },
  'GET /v1/operator/users/{id}': {
    operationId: 'getUser',
    description:
      'A user with contacts, trackers, the open incident, and what an alarm would lack. Noted in the audit log.',
    family,
    parameters: { id: userId },
    answers: { '200': { ...user, contacts: [], devices: [], openIncident: null, lacks: ['contacts'] } },
  },
  'POST /v1/operator/users/{id}/contacts/{contactId}/verify': {
    operationId: 'askContact',
    description:
      'Asks a contact by SMS whether they agree to be alarmed, within the limits that the user has, too. `requested` also where nothing is sent because another user had the number asked today. Retry-After says when the limit ends.',
    family,
    parameters: { id: userId, contactId: '0197f6a0-1c2d-7e3f-8a4b-5c6d7e8f9a0f' },
    answers: { '202': { status: 'requested' } },
  },
  'POST /v1/operator/users/{id}/disable': {
    operationId: 'disableUser',
    description: 'Stops admitting a user and closes their connections within 2 s.',
    family,
    parameters: { id: userId },
    answers: { '200': { ...user, disabled: true } },
  },
  'POST /v1/operator/users/{id}/enable': {
    operationId: 'enableUser',
    description: 'Enables a disabled user: they are admitted again.',
    family,
    parameters: { id: userId },
    answers: { '200': user },
  },
  'DELETE /v1/operator/users/{id}': {
    operationId: 'eraseUser',
    description:
      'Erases everything kept of a user, without a trace; takes a few seconds. Refused while an incident is open, or contacts are still being told that one is over.',
    family,
    parameters: { id: userId },
    answers: {
      '200': { userId, clean: true, cameBack: false, remaining: ['Earlier backups still contain the user.'] },
    },
  },
  'GET /v1/operator/outbox': {
    operationId: 'listOutbox',
    description: 'SMS and calls that were kept on this machine instead of being sent, newest first.',
    family,
    parameters: page,
    answers: {
      '200': list({
        id: 7,
        applicationId,
        incidentId: null,
        contactId: null,
        channel: 'sms',
        to: '+436601234567',
        text: 'Test from Hut. Nobody needs help.',
        createdAt: exampleTime,
      }),
    },
  },
  'GET /v1/operator/dead-letters': {
    operationId: 'listDeadLetters',
    description: 'Publishes that could not be processed, and why, newest first, with the beginning of what was sent.',
    family,
    parameters: page,
    answers: {
      '200': list({
        id: 3,
        applicationId,
        userId,
        topic: 'u/telemetry',
        reason: 'not JSON',
        payload: 'bm8=',
        payloadBytes: 2,
        receivedAt: exampleTime,
      }),
    },
  },
  'GET /v1/operator/feedback': {
    operationId: 'listFeedback',
    description: 'What users wrote in the app, newest first.',
    family,
    parameters: page,
    answers: {
      '200': list({
        id: '0197f6a0-1c2d-7e3f-8a4b-5c6d7e8f9a0d',
        applicationId,
        userId,
        externalUserId: 'mia-7',
        message: 'Works on the summit.',
        category: null,
        rating: 5,
        createdAt: exampleTime,
      }),
    },
  },
  'GET /v1/operator/nodes': {
    operationId: 'listNodes',
    description: 'The nodes of the last week that share the database; empty where there is one node on SQLite.',
    family,
    answers: {
      '200': {
        items: [{ id: 'a', version: '0.9.0', state: 'sending', startedAt: exampleTime, leaseUntil: exampleTime }],
      },
    },
  },
  'POST /v1/operator/nodes/{id}/drain': {
    operationId: 'drainNode',
    description:
      'Drains a node before it is stopped: within 5 s it claims no more messages. Or lets it claim them again.',
    family,
    parameters: { id: 'a' },
    body: { draining: true },
    answers: { '200': { id: 'a', draining: true, isAlone: false } },
  },
  'GET /v1/operator/backups': {
    operationId: 'getBackups',
    description:
      'When `tocsin backup` last made a verified copy, and how large it was. The service sees no backup of PostgreSQL.',
    family,
    answers: { '200': { isOwn: true, last: { at: exampleTime, bytes: 4_194_304, verified: true }, isOld: false } },
  },
  'GET /v1/operator/clock': {
    operationId: 'getClock',
    description: 'What the clock of the service says, and whether the service trusts it.',
    family,
    answers: { '200': { now: exampleTime, believed: true, newestMoment: exampleTime, measuredBy: null } },
  },
  'POST /v1/operator/clock/accept': {
    operationId: 'acceptClock',
    description:
      'Makes the service trust a clock that it doubts, on all nodes within 2 s: what is due by that time is closed, expired and deleted. Look at `now` first.',
    family,
    answers: { '200': { accepted: exampleTime } },
  },
  'GET /v1/operator/first-steps': {
    operationId: 'getFirstSteps',
    description:
      'Which of the first steps are done, by what is stored: an application, a contact, a test message that was accepted, a simulated SOS.',
    family,
    answers: {
      '200': {
        application: { applicationId, name: 'Hut' },
        contact: { name: 'Ana Gruber', externalUserId: 'mia-7' },
        test: null,
        simulated: false,
        maySimulate: true,
        done: false,
      },
    },
  },
  'POST /v1/operator/simulate': {
    operationId: 'simulateSos',
    description:
      'Raises an SOS of a user called SIMULATION, with an invented position in the middle of the Atlantic, all the way to the outbox. Refused where SMS or calls leave this machine: a simulation reaches nobody. While it is open, another call is a further press.',
    family,
    answers: { '201': { incidentId: '0197f6a0-1c2d-7e3f-8a4b-5c6d7e8f9a0e' } },
  },
  'GET /v1/operator/map': {
    operationId: 'getOperatorMap',
    description: 'The addresses of what the map consists of, for pages that show one.',
    family,
    answers: {
      '200': {
        sources: {
          script: '/map/map-3vXq0nYk2bLr8sTd.js',
          leaflet: '/map/leaflet-Qw7eRt9yUiOp1aSd.js',
          style: '/map/map-Zx5cVb8nMk2jHg4f.css',
          outline: '/map/outline-Pl0oKm9ijNu8bhYv.json',
          overlays: null,
          basemap: null,
          tiles: null,
          attribution: null,
        },
      },
    },
  },
  'GET /v1/operator/health': {
    operationId: 'getOperatorHealth',
    description:
      'Why the service is not ready, what else needs attention, whether messages leave this machine, and how much is open.',
    family,
    answers: {
      '200': {
        status: 'ready',
        reasons: [],
        concerns: [],
        keepsMessages: false,
        figures: { active: 1, acknowledged: 0, held: 0, deadLetters: 3 },
      },
    },
  },
} as const satisfies Readonly<Record<string, Operation>>
