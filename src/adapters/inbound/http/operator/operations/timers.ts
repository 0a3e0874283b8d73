import type { Operation } from '../../operation.ts'
import { applicationId, exampleTime } from './examples.ts'

const family = 'OPERATOR'
const userId = '0197f6a0-1c2d-7e3f-8a4b-5c6d7e8f9a0c'
const page = { cursor: 'WyJ1c2VycyJd', limit: 50, app: applicationId, text: 'mia' }
const list = (...items: readonly unknown[]) => ({ items, nextCursor: null, hasMore: false })
const timer = {
  id: '0197f6a0-1c2d-7e3f-8a4b-5c6d7e8f9a0f',
  status: 'running',
  dueAt: exampleTime,
  note: 'Glungezer, by the ridge',
  position: null,
  overAt: null,
  incidentId: null,
  createdAt: exampleTime,
  updatedAt: exampleTime,
}

/** Overdue timers in the operator API. */
export const timerOperations = {
  'GET /v1/operator/timers': {
    operationId: 'listRunningTimers',
    description:
      'Running overdue timers, due next first; `text` looks in external id, name and note. A page that had to look through very many may be short, or empty, although `hasMore`.',
    family,
    parameters: page,
    answers: { '200': list({ ...timer, applicationId, userId, externalUserId: 'mia-7', userName: 'Mia Moser' }) },
  },
  'GET /v1/operator/users/{id}/timers': {
    operationId: 'listTimersOfUser',
    description:
      'The timers of a user: those that run, the one due next first, then those that are over and still kept.',
    family,
    parameters: { id: userId },
    answers: { '200': { items: [timer] } },
  },
  'POST /v1/operator/users/{id}/timers': {
    operationId: 'setTimerOfUser',
    description:
      'Sets an overdue timer for a user. 201 when it is new; 200 with the timer that already runs for that moment. 409 when the user already has 5 running timers.',
    family,
    parameters: { id: userId },
    body: { dueAt: exampleTime, note: timer.note },
    answers: { '201': timer, '200': timer },
  },
  'PATCH /v1/operator/users/{id}/timers/{timerId}': {
    operationId: 'extendTimerOfUser',
    description:
      'Moves a running timer to a later `dueAt`; an earlier one changes nothing. 409 when the timer is over.',
    family,
    parameters: { id: userId, timerId: timer.id },
    body: { dueAt: exampleTime },
    answers: { '200': timer },
  },
  'DELETE /v1/operator/users/{id}/timers/{timerId}': {
    operationId: 'endTimerOfUser',
    description:
      'The user has reported back. Ending a timer twice succeeds. 409 when it has already raised an SOS: then resolve that.',
    family,
    parameters: { id: userId, timerId: timer.id },
    answers: { '200': { ...timer, status: 'ended', overAt: exampleTime } },
  },
} as const satisfies Readonly<Record<string, Operation>>
