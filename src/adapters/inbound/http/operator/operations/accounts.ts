import type { Operation } from '../../operation.ts'
import * as examples from '../examples.ts'

const family = 'OPERATOR'
const id = { id: examples.operatorId }
const ok = (answer: unknown) => ({ '200': answer })
const grant = { role: 'operator', applications: null }

export const accountOperations = {
  'GET /v1/operator/sessions': {
    operationId: 'listSessions',
    description: 'The browsers in which the caller is signed in. Empty for an API token.',
    family,
    answers: ok({ items: [examples.session] }),
  },
  'DELETE /v1/operator/sessions/{id}': {
    operationId: 'endSession',
    description: 'Signs another browser of the caller out, such as one that was left somewhere.',
    family,
    parameters: id,
  },
  'POST /v1/operator/password': {
    operationId: 'changePassword',
    description:
      'Sets a new password and ends the caller’s other sessions. The current one is required, and guessing it is slowed down (429). 400 `weak_password` says why.',
    family,
    body: { password: 'correct horse battery', newPassword: 'seven green lamps hum' },
  },
  'POST /v1/operator/session/proof': {
    operationId: 'proveSession',
    description:
      'The password or a code of the authenticator app once more. Requests that give lasting access or could silence someone require it if the last proof is older than ten minutes (403 `proof_needed`): managing operators, API tokens and tokens of trackers, new recovery codes, changing an application, its secrets, texts and actuators, adding a contact, disabling and erasing a user, registering and unpairing a tracker. API tokens are not asked. Guessing is slowed (429).',
    family,
    body: { password: 'correct horse battery' },
  },
  'GET /v1/operator/recovery-codes': {
    operationId: 'countRecoveryCodes',
    description: 'How many of the caller’s recovery codes have not been used. 403 `not_for_tokens`.',
    family,
    answers: ok({ left: 7 }),
  },
  'POST /v1/operator/recovery-codes': {
    operationId: 'renewRecoveryCodes',
    description: 'Eight new recovery codes, shown once; the old ones no longer work.',
    family,
    answers: ok({ recoveryCodes: ['ABCD-EFGH-IJKL-MNOP'] }),
  },
  'GET /v1/operator/operators': {
    operationId: 'listOperators',
    description: 'All operators by login, disabled ones included. For admins of the site.',
    family,
    answers: ok({ items: [examples.operator] }),
  },
  'POST /v1/operator/operators': {
    operationId: 'addOperator',
    description:
      'Adds an operator and answers with the link for their first sign-in, which is shown once. 409 `login_taken`.',
    family,
    body: { login: 'ben', name: 'Ben', ...grant },
    answers: { '201': { ...examples.operator, ...examples.invited } },
  },
  'PATCH /v1/operator/operators/{id}': {
    operationId: 'updateOperator',
    description:
      'Changes the fields that are sent; a role or scope applies from the next request on. Disabling ends sessions and link at once. 409 `last_admin` if nobody could manage operators any more.',
    family,
    parameters: id,
    body: { disabled: true },
    answers: ok({ ...examples.operator, disabled: true }),
  },
  'POST /v1/operator/operators/{id}/invitation': {
    operationId: 'inviteOperator',
    description:
      'A new link, for a new password and a new authenticator app. The existing ones keep working until it is used.',
    family,
    parameters: id,
    answers: ok(examples.invited),
  },
  'GET /v1/operator/tokens': {
    operationId: 'listTokens',
    description: 'All API tokens, newest first, without their secrets.',
    family,
    answers: ok({ items: [examples.apiToken] }),
  },
  'POST /v1/operator/tokens': {
    operationId: 'addToken',
    description:
      'Creates an API token for a script or a wall screen. `secret` is shown once. It expires within 400 days (400 `token_end` says when at the latest); there are at most 100.',
    family,
    body: { name: 'wall', role: 'viewer', applications: null, expiresAt: '2027-01-01T00:00:00Z' },
    answers: { '201': { ...examples.apiToken, secret: `tocsin_${examples.invitation}` } },
  },
  'DELETE /v1/operator/tokens/{id}': {
    operationId: 'revokeToken',
    description: 'Ends a token with its next request, and a stream of it within two seconds.',
    family,
    parameters: id,
  },
  'GET /v1/operator/audit': {
    operationId: 'listAudit',
    description:
      'Who did what, from where and when, and which fields were changed, never their contents. With filters, a page reads at most 20,000 rows, so it may be short, or empty, although `hasMore`. For admins of the site.',
    family,
    parameters: {
      cursor: 'eyJvIjoxfQ',
      limit: 20,
      actor: 'command',
      action: 'incident.',
      app: '0197f6a0-1c2d-7e3f-8a4b-5c6d7e8f9a0b',
      from: '2026-05-01T00:00:00Z',
      to: '2026-06-01T00:00:00Z',
      text: 'hut',
    },
    answers: ok({ items: [examples.auditRow], nextCursor: null, hasMore: false }),
  },
} as const satisfies Readonly<Record<string, Operation>>
