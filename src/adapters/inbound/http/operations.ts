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

const page = { cursor: 'eyJvIjoxfQ', limit: 20 }
const ok = (answer: unknown) => ({ '200': answer })
const denied = { result: 'deny' }

const append = {
  description:
    'For positions collected while offline: up to 1,000 rows, as an array or under `items`. Rows that are already stored count as duplicates, so a batch can be sent again when the response was lost. 200 means that the rows are on disk.',
  family: 'TELEMETRY',
  body: examples.rows,
  answers: ok(examples.rowsTaken),
} as const

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
  'GET /v1/sdk/me': {
    operationId: 'getProfile',
    description:
      'The user of this session, created on the first valid request. `id` is the `sdk_user_id` in every MQTT topic: read it before you connect. The fields are at the top level and again under `user`.',
    family: 'PROFILE',
    answers: ok(examples.profile),
  },
  'PUT /v1/sdk/me': {
    operationId: 'updateProfile',
    description: 'Changes only the fields sent; `null` clears a field. Contacts see the name in alerts.',
    family: 'PROFILE',
    body: examples.profileUpdate,
    answers: ok(examples.profile),
  },
  'GET /v1/sdk/readiness': {
    operationId: 'getOwnReadiness',
    description:
      'Whether help would reach the user today, and what would prevent it, the worst first, in the language of `Accept-Language`. Show it in the app before help is needed.',
    family: 'PROFILE',
    answers: ok(examples.ownReadiness),
  },
  'GET /v1/sdk/contacts': {
    operationId: 'listContacts',
    description: 'The emergency contacts in the order in which they are notified: priority 1 first.',
    family: 'CONTACTS',
    answers: ok([examples.contact]),
  },
  'POST /v1/sdk/contacts': {
    operationId: 'createContact',
    description:
      'Adds a contact at position `priority`, or at the end. While an incident is active, the contact joins its cascade. 409 when the user already has the maximum number of contacts.',
    family: 'CONTACTS',
    body: examples.newContact,
    answers: { '201': examples.contact },
  },
  'PUT /v1/sdk/contacts/reorder': {
    operationId: 'reorderContacts',
    description: 'Sets the order of the contacts. The list must contain every contact id exactly once.',
    family: 'CONTACTS',
    body: examples.contactOrder,
  },
  'PUT /v1/sdk/contacts/{id}': {
    operationId: 'updateContact',
    description: 'Changes only the fields sent. `priority` moves the contact to that position.',
    family: 'CONTACTS',
    parameters: { id: examples.contactId },
    body: { phone: '+436641111112' },
    answers: ok({ ...examples.contact, phone: '+436641111112' }),
  },
  'DELETE /v1/sdk/contacts/{id}': {
    operationId: 'deleteContact',
    description: 'Deletes a contact. Those after it move up, so that priorities stay 1 to n.',
    family: 'CONTACTS',
    parameters: { id: examples.contactId },
  },
  'POST /v1/sdk/contacts/{id}/verify': {
    operationId: 'verifyContact',
    description:
      'Sends the contact an SMS with a link to confirm. At most one per number and day, three per number in all, ten per user and day; 429 with `Retry-After`, and 409 when the number cannot be asked again. `contacts[].verifiedAt` tells when the contact confirmed.',
    family: 'CONTACTS',
    parameters: { id: examples.contactId },
    answers: { '202': { status: 'requested' } },
  },
  'POST /v1/sdk/sos': {
    operationId: 'raiseSos',
    description:
      'Raises an alarm over HTTP, with the same payload as the MQTT publish. 201 with the planned attempts when it opened an incident; 200 when an incident was already open or the alert is a repeat. 2xx means that the alert is on disk. Never rate limited. Without a 2xx, send it again: the same alert twice counts as one.',
    family: 'SOS',
    body: examples.alert,
    answers: { '201': { incident: examples.incident }, '200': { incident: examples.incident } },
  },
  'GET /v1/sdk/sos': {
    operationId: 'getOpenSos',
    description:
      'The open incident with its live snapshot, or `null`. Read it after every reconnect: missed events are not sent again.',
    family: 'SOS',
    answers: ok({ incident: examples.incident }),
  },
  'GET /v1/sdk/sos/history': {
    operationId: 'listSosHistory',
    description:
      'Every incident of the user, including the open one, newest first. Each has its last snapshot, the alert that opened it and its latest 1,000 positions. Pages can be large, so a user can read only one at a time.',
    family: 'SOS',
    parameters: page,
    answers: ok(examples.incidents),
  },
  'POST /v1/sdk/sos/cancel': {
    operationId: 'cancelSos',
    description:
      'Cancels the user’s open incident. Within the grace window, nobody is notified; after it, everyone who was notified is told that the user ended it. Succeeds when no incident is open, so a retry cannot fail. Name the alarm that it ends: without a name, an end that waited for more than 5 s is answered 503 and ends nothing.',
    family: 'SOS',
    body: examples.end,
    answers: ok({ incident: null, ended: true }),
  },
  'POST /v1/sdk/sos/resolve': {
    operationId: 'resolveSos',
    description:
      'Ends the open incident: the emergency is over. Succeeds when no incident is open, so a retry cannot fail. The body names the alarm, as in `cancel`.',
    family: 'SOS',
    body: examples.end,
    answers: ok({ incident: null, ended: true }),
  },
  'POST /v1/sdk/telemetry': {
    operationId: 'sendTelemetry',
    description:
      'One position or battery reading, with the same payload as the MQTT publish. While an incident is open, it is added to its trail.',
    family: 'TELEMETRY',
    body: examples.telemetry,
    answers: { '202': examples.telemetryTaken },
  },
  'POST /telemetry/history': { operationId: 'appendTelemetryHistoryShort', ...append },
  'POST /v1/sdk/telemetry/history': { operationId: 'appendTelemetryHistory', ...append },
  'GET /v1/sdk/telemetry/history': {
    operationId: 'listTelemetryHistory',
    description:
      'Telemetry as accepted, with `receivedAt` added, latest event time first. `from` and `to` are inclusive.',
    family: 'TELEMETRY',
    parameters: { ...page, from: '2026-07-04T00:00:00Z', to: '2026-07-04T23:59:59Z' },
    answers: ok(examples.telemetryPage),
  },
  'GET /v1/sdk/devices': {
    operationId: 'listDevices',
    description: 'The trackers paired with this user.',
    family: 'DEVICES',
    answers: ok([examples.device]),
  },
  'POST /v1/sdk/devices': {
    operationId: 'pairDevice',
    description:
      'Pairs a tracker that the operator has registered. 201 when it is newly paired, 200 when it was already paired with this user. A wrong code, an unknown hardware id and a locked tracker all give the same 400. After five wrong codes the tracker is locked for 15 min.',
    family: 'DEVICES',
    body: examples.pairing,
    answers: { '201': examples.device, '200': examples.device },
  },
  'DELETE /v1/sdk/devices/{id}': {
    operationId: 'unpairDevice',
    description: 'Removes the pairing. The tracker stays registered and can be paired again with its code.',
    family: 'DEVICES',
    parameters: { id: examples.device.id },
  },
  'GET /config/device/{country}': {
    operationId: 'getDeviceConfiguration',
    description:
      'The radio settings that a tracker must use in a country. No login required. 404 when there is no plan for the country.',
    family: 'CONFIG',
    parameters: { country: 'DE' },
    answers: ok(examples.region),
  },
  'POST /v1/sdk/token': {
    operationId: 'createToken',
    description: 'Issues a token for `X-User-Token`, valid for 15 min. Body and content type are ignored.',
    family: 'TOKEN',
    answers: ok(examples.token),
  },
  'POST /v1/sdk/feedback': {
    operationId: 'sendFeedback',
    description:
      'Sends feedback about the app to the operator. Requires a token from `POST /v1/sdk/token` in addition to the three headers.',
    family: 'FEEDBACK',
    body: examples.feedback,
    answers: { '201': examples.feedbackTaken },
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
