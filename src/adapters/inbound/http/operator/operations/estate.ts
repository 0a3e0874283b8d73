import type { Operation } from '../../operation.ts'
import { applicationId, exampleTime } from '../examples.ts'

const family = 'OPERATOR'
/** Users and the system in the operator API. */
export const estateOperations = {
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
