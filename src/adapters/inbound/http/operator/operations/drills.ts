import type { Operation } from '../../operation.ts'
import { applicationId, exampleTime } from '../examples.ts'

const family = 'OPERATOR'
const userId = '0197f6a0-1c2d-7e3f-8a4b-5c6d7e8f9a0c'
const incidentId = '0197f6a2-77b0-7c11-9a55-1f2e3d4c5b6a'
const who = { userId, externalUserId: 'mia-7' }

const report = {
  incidentId,
  applicationId,
  ...who,
  toContacts: true,
  overtaken: false,
  status: 'acknowledged',
  startedAt: exampleTime,
  endedAt: null,
  firstAnswerSeconds: 48,
  contacts: [
    {
      contactId: '0197f6a0-9b8c-7d6e-8f50-a1b2c3d4e5f6',
      name: 'Ana Berger',
      answer: 'coming',
      afterSeconds: 48,
      channels: [{ channel: 'sms', status: 'delivered', error: null, provider: 'twilio', afterSeconds: 14 }],
    },
  ],
  integrations: [{ channel: 'chat', status: 'sent', error: null, provider: null, afterSeconds: 11 }],
  failed: 0,
}

/** Exercises in the operator API. */
export const drillOperations = {
  'POST /v1/operator/drills': {
    operationId: 'startDrills',
    description:
      'A drill is an incident that says *EXERCISE* in every text and is never mixed up with a real one. Without `user`: one for each enabled user of the application, at most 100 (409 `too_many_users`). `passedOver`: who has an incident or a drill open, whose contacts had a drill within the hour (with `contacts`), or for whom the application has had too many today.',
    family,
    body: { app: applicationId, user: 'mia-7', contacts: true },
    answers: { '201': { started: [{ ...who, incidentId }], passedOver: [] } },
  },
  'POST /v1/operator/drills/end': {
    operationId: 'endDrills',
    description:
      'Everyone who was alerted is told that the exercise is over. A drill ends automatically after 30 minutes.',
    family,
    body: { app: applicationId, user: 'mia-7' },
    answers: { '200': { ended: [{ ...who, incidentId }] } },
  },
  'GET /v1/operator/drills': {
    operationId: 'listDrills',
    description:
      'The newest 100, or `limit`, of the last 90 days unless `since` says otherwise; with `user`, of that user alone.',
    family,
    parameters: { app: applicationId, user: 'mia-7', since: '2026-05-01T00:00:00Z', limit: 5 },
    answers: { '200': { items: [report] } },
  },
  'GET /v1/operator/drills/{id}': {
    operationId: 'getDrill',
    description: 'Who answered after how long, and what failed, by contact and channel.',
    family,
    parameters: { id: incidentId },
    answers: { '200': report },
  },
} as const satisfies Readonly<Record<string, Operation>>
