import type { Operation } from '../../operation.ts'
import * as examples from '../examples.ts'

const family = 'OPERATOR'

export const sessionOperations = {
  'POST /v1/operator/session': {
    operationId: 'signIn',
    description:
      'Sets the cookie of a session. Needs login, password and a code of the authenticator app or a recovery code, each of which works once. Every 401 is the same, whichever of them is wrong. 429 says how long to wait; nobody is ever locked out.',
    family,
    body: { login: 'ana', password: 'correct horse battery', code: '287082' },
    answers: { '200': { ...examples.me, recoveryCodesLeft: 8 } },
  },
  'GET /v1/operator/session': {
    operationId: 'getOperatorSession',
    description: 'The operator or API token that makes the request, what they may do, and for how long.',
    family,
    answers: { '200': examples.me },
  },
  'GET /v1/operator/session/current': {
    operationId: 'getCurrentSession',
    description:
      'As getOperatorSession, for a page that does not know yet whether anyone is signed in: without a valid session or token the answer is 200 with `signedIn: false`. A wrong cookie is removed, and slowed down as elsewhere.',
    family,
    answers: { '200': { ...examples.me, signedIn: true } },
  },
  'DELETE /v1/operator/session': {
    operationId: 'signOut',
    description: 'Ends the session of the request and removes its cookie.',
    family,
  },
  'POST /v1/operator/session/first/look': {
    operationId: 'lookAtInvitation',
    description:
      'What the link for the first sign-in offers. The secret of the link is sent in the body: addresses are written to the logs of proxies.',
    family,
    body: { invitation: examples.invitation },
    answers: { '200': examples.offer },
  },
  'POST /v1/operator/session/first': {
    operationId: 'acceptInvitation',
    description:
      'Uses the link up: sets the password, proves the authenticator app with a code, ends all earlier sessions and opens one. Answers with the recovery codes, which are shown once.',
    family,
    body: { invitation: examples.invitation, password: 'correct horse battery', code: '287082' },
    answers: { '200': { ...examples.me, recoveryCodes: ['ABCD-EFGH-IJKL-MNOP'] } },
  },
  'GET /v1/operator/events': {
    operationId: 'followIncidents',
    description:
      'A stream of server-sent events. `incident`: the item of the board as it is after a change, each state once. `drill`: the same of an exercise, behind everything real. `heartbeat`: at least every 15 s, while all that has changed could be sent. `reload`: something may be missing, read the board again. Open the stream, wait for its first event, then read the board. With `Last-Event-ID` it goes on where it broke off.',
    family,
  },
} as const satisfies Readonly<Record<string, Operation>>
