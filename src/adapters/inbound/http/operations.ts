import type { FamilyName } from './problem.ts'
import * as examples from './schemas/examples.ts'

/** What the OpenAPI document says of one operation besides its shapes. */
export type Operation = {
  readonly operationId: string
  readonly description: string
  /** Whose error codes it answers with; null outside the families. */
  readonly family: FamilyName | null
  readonly body?: unknown
  /** Of answers with a body, by status. */
  readonly answers?: Readonly<Record<string, unknown>>
  readonly parameters?: Readonly<Record<string, unknown>>
}

const page = { cursor: 'eyJvIjoxfQ', limit: 20 }
const ok = (answer: unknown) => ({ '200': answer })
const denied = { result: 'deny' }

const append = {
  description:
    'For positions that were collected without a connection: up to 1,000 rows, as an array or under `items`. Rows that are already there count as duplicates, so a batch may be sent again after a lost answer. 200 means: on disk.',
  family: 'TELEMETRY',
  body: examples.rows,
  answers: ok(examples.rowsTaken),
} as const

/** By method and path. A test holds it against the routes. */
export const operations: Readonly<Record<string, Operation>> = {
  'GET /healthz': {
    operationId: 'getHealth',
    description: 'Answers as long as the process runs. Says nothing of whether it can do its work: see `/readyz`.',
    family: null,
    answers: ok({ status: 'ok' }),
  },
  'GET /readyz': {
    operationId: 'getReadiness',
    description:
      'Whether alerts can be stored, the broker answers and messages go out on time; 503 names what is wrong.',
    family: null,
    answers: {
      '200': { status: 'ready', reasons: [] },
      '503': { status: 'not ready', reasons: ['the store cannot be written: the disk is full'] },
    },
  },
  'GET /v1/sdk/me': {
    operationId: 'getProfile',
    description:
      'The user of this session, made on the first valid request. `id` is the `sdk_user_id` that every MQTT topic contains: read it before you connect. The fields stand at the top level and again under `user`.',
    family: 'PROFILE',
    answers: ok(examples.profile),
  },
  'PUT /v1/sdk/me': {
    operationId: 'updateProfile',
    description:
      'Changes the fields sent and leaves the others; `null` clears one. The name is what contacts read in an alert.',
    family: 'PROFILE',
    body: examples.profileUpdate,
    answers: ok(examples.profile),
  },
  'GET /v1/sdk/contacts': {
    operationId: 'listContacts',
    description: 'The emergency contacts in the order in which they are told: priority 1 first.',
    family: 'CONTACTS',
    answers: ok([examples.contact]),
  },
  'POST /v1/sdk/contacts': {
    operationId: 'createContact',
    description:
      'Adds a contact at the place `priority`, or last. While an incident is active the contact joins its cascade. 409 when there are as many as a user may have.',
    family: 'CONTACTS',
    body: examples.newContact,
    answers: { '201': examples.contact },
  },
  'PUT /v1/sdk/contacts/reorder': {
    operationId: 'reorderContacts',
    description: 'Puts the contacts into this order. Every contact id has to be there exactly once.',
    family: 'CONTACTS',
    body: examples.contactOrder,
  },
  'PUT /v1/sdk/contacts/{id}': {
    operationId: 'updateContact',
    description: 'Changes the fields sent and leaves the others. `priority` moves the contact to that place.',
    family: 'CONTACTS',
    parameters: { id: examples.contactId },
    body: { phone: '+436641111112' },
    answers: ok({ ...examples.contact, phone: '+436641111112' }),
  },
  'DELETE /v1/sdk/contacts/{id}': {
    operationId: 'deleteContact',
    description: 'Deletes a contact. The others move up, so that priorities stay 1 to n.',
    family: 'CONTACTS',
    parameters: { id: examples.contactId },
  },
  'POST /v1/sdk/sos': {
    operationId: 'raiseSos',
    description:
      'Raises the alarm over HTTP, with the payload of the MQTT publish. 201 with the plan when it opened an incident, 200 when one was open or the alert is a repeat. 2xx means: on disk. Never refused for asking too often. Without a 2xx, send it again: the same alert twice is one alert.',
    family: 'SOS',
    body: examples.alert,
    answers: { '201': { incident: examples.incident }, '200': { incident: examples.incident } },
  },
  'GET /v1/sdk/sos': {
    operationId: 'getOpenSos',
    description:
      'The open incident with its live snapshot, or `null`. Read it after every reconnect: events are not repeated.',
    family: 'SOS',
    answers: ok({ incident: examples.incident }),
  },
  'GET /v1/sdk/sos/history': {
    operationId: 'listSosHistory',
    description:
      'Every incident of the user, newest first, the open one included, each with its last snapshot, the alert that opened it and its newest 1,000 positions. Pages can be long; a user reads one at a time.',
    family: 'SOS',
    parameters: page,
    answers: ok(examples.incidents),
  },
  'POST /v1/sdk/sos/cancel': {
    operationId: 'cancelSos',
    description:
      'The user takes the alarm back. Within the grace window nobody is told; later, everybody who was told gets an all-clear. With nothing open it does nothing, so a retry cannot fail. Body and content type are ignored.',
    family: 'SOS',
    answers: ok({ incident: null }),
  },
  'POST /v1/sdk/sos/resolve': {
    operationId: 'resolveSos',
    description:
      'The emergency is over. With nothing open it does nothing, so a retry cannot fail. Body and content type are ignored.',
    family: 'SOS',
    answers: ok({ incident: null }),
  },
  'POST /v1/sdk/telemetry': {
    operationId: 'sendTelemetry',
    description:
      'One position or battery reading, with the payload of the MQTT publish. It joins the trail of an open incident.',
    family: 'TELEMETRY',
    body: examples.telemetry,
    answers: { '202': examples.telemetryTaken },
  },
  'POST /telemetry/history': { operationId: 'appendTelemetryHistoryShort', ...append },
  'POST /v1/sdk/telemetry/history': { operationId: 'appendTelemetryHistory', ...append },
  'GET /v1/sdk/telemetry/history': {
    operationId: 'listTelemetryHistory',
    description:
      'Telemetry as it was accepted plus `receivedAt`, newest event time first. `from` and `to` are inclusive.',
    family: 'TELEMETRY',
    parameters: { ...page, from: '2026-07-04T00:00:00Z', to: '2026-07-04T23:59:59Z' },
    answers: ok(examples.telemetryPage),
  },
  'GET /v1/sdk/devices': {
    operationId: 'listDevices',
    description: 'The trackers that are paired with this user.',
    family: 'DEVICES',
    answers: ok([examples.device]),
  },
  'POST /v1/sdk/devices': {
    operationId: 'pairDevice',
    description:
      'Pairs a tracker that the operator has registered. 201 when it was paired, 200 when it was this user’s already. A wrong code, unknown hardware and a locked tracker are the same 400; after five wrong codes it is locked for 15 min.',
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
      'What a tracker has to set its radio to in a country. Needs no login. 404 for a country without a plan.',
    family: 'CONFIG',
    parameters: { country: 'DE' },
    answers: ok(examples.region),
  },
  'POST /v1/sdk/token': {
    operationId: 'createToken',
    description: 'A token for `X-User-Token`, valid for 15 min. Body and content type are ignored.',
    family: 'TOKEN',
    answers: ok(examples.token),
  },
  'POST /v1/sdk/feedback': {
    operationId: 'sendFeedback',
    description:
      'Feedback about the app, for the operator. Needs a token from `POST /v1/sdk/token` besides the three headers.',
    family: 'FEEDBACK',
    body: examples.feedback,
    answers: { '201': examples.feedbackTaken },
  },
  'POST /v1/sdk/mqtt/auth/connect': {
    operationId: 'authorizeMqttConnect',
    description:
      'For an external MQTT broker: whether a client may connect. JSON or a form. Whatever is not an allow is a deny.',
    family: 'MQTT',
    body: examples.brokerConnect,
    answers: { '200': { result: 'allow' }, '403': denied },
  },
  'POST /v1/sdk/mqtt/auth/acl': {
    operationId: 'authorizeMqttAccess',
    description:
      'For an external MQTT broker: whether a client may publish or subscribe. JSON or a form. Whatever is not an allow is a deny.',
    family: 'MQTT',
    body: examples.brokerAccess,
    answers: { '200': { result: 'allow' }, '403': denied },
  },
}
