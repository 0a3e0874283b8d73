import type { Operation } from '../../operation.ts'
import { applicationId, exampleTime } from '../examples.ts'

const family = 'OPERATOR'
const one = { id: applicationId }
const text = { language: 'en', key: 'confirm' }

const application = {
  applicationId,
  name: 'Hut',
  language: 'de',
  legacy: false,
  disabled: false,
  createdAt: exampleTime,
  actuators: { emergency_contacts: {}, webhook: { url: 'https://dispatch.example.org/sos', signed: true } },
  allowedPrefixes: ['+43'],
  timeZone: 'Europe/Vienna',
  corsOrigins: [],
  silentAfterMinutes: 0,
  verifyContacts: true,
  silentByDefault: false,
  relays: 'any',
  mapLink: null,
  fallbackContact: { name: 'Rescue centre', phone: '+43512000000' },
  texts: {},
  settings: { graceSeconds: 10, rounds: 3 },
  ownSettings: { rounds: 3 },
}
/** Applications in the operator API. */
export const applicationOperations = {
  'GET /v1/operator/applications': {
    operationId: 'listApplications',
    description: 'The applications that the caller works for. Passwords in addresses, and secrets, are never shown.',
    family,
    answers: { '200': { items: [application] } },
  },
  'POST /v1/operator/applications': {
    operationId: 'createApplication',
    description:
      'Adds an application that alarms emergency contacts. Its first secret is in the answer, and is never shown again.',
    family,
    body: { name: 'Hut', language: 'de', allowedPrefixes: ['+43'], timeZone: 'Europe/Vienna' },
    answers: { '201': { ...application, secret: '(shown once)' } },
  },
  'GET /v1/operator/applications/{id}': {
    operationId: 'getApplication',
    description: 'An application with the settings in force, and which of them were set for it.',
    family,
    parameters: one,
    answers: { '200': application },
  },
  'PATCH /v1/operator/applications/{id}': {
    operationId: 'updateApplication',
    description:
      'Changes the fields that are given. `disabled: true` closes the connections of its users within 2 s and admits none; `fallbackContact: null` removes it.',
    family,
    parameters: one,
    body: { name: 'Alpine hut', fallbackContact: { name: 'Rescue centre', phone: '+43512000000' } },
    answers: { '200': { ...application, name: 'Alpine hut' } },
  },
  'POST /v1/operator/applications/{id}/secrets': {
    operationId: 'addApplicationSecret',
    description: 'Adds a second valid secret, so that the backend can change over. It is shown once.',
    family,
    parameters: one,
    answers: { '201': { applicationId, secret: '(shown once)' } },
  },
  'DELETE /v1/operator/applications/{id}/secrets/older': {
    operationId: 'retireApplicationSecret',
    description: 'Retires the older of two secrets and closes the connections that it admitted.',
    family,
    parameters: one,
  },
  'PUT /v1/operator/applications/{id}/actuators/{type}': {
    operationId: 'setActuator',
    description:
      'Adds an actuator, or changes the given fields of one: the others stay as they are. Secrets are never shown again.',
    family,
    parameters: { ...one, type: 'webhook' },
    body: { url: 'https://dispatch.example.org/sos', settings: { httpAttempts: 5 } },
    answers: { '200': application },
  },
  'DELETE /v1/operator/applications/{id}/actuators/{type}': {
    operationId: 'removeActuator',
    description: 'Removes an actuator. Settings of the application stay.',
    family,
    parameters: { ...one, type: 'chat' },
    answers: { '200': application },
  },
  'POST /v1/operator/applications/{id}/test': {
    operationId: 'sendTestMessage',
    description:
      'Sends a real message that says it is a test, over the channel an alarm would take. At most 10 in ten minutes for an application; each is noted in the audit log.',
    family,
    parameters: one,
    body: { channel: 'sms', to: '+436601234567', language: 'de' },
    answers: {
      '200': { channel: 'sms', status: 'sent', provider: 'twilio', providerRef: 'SM0001', error: null, warnings: [] },
    },
  },
  'POST /v1/operator/applications/{id}/contacts': {
    operationId: 'addContactOfUser',
    description:
      'Adds an emergency contact of the user with this external id, and creates the user if necessary. From then on the contact gets the user’s alarms with the position, including that of an open incident. 400 `phone_not_allowed` outside the country prefixes.',
    family,
    parameters: one,
    body: { externalUserId: 'mia-7', name: 'Ana Gruber', phone: '+436601234567', language: 'de' },
    answers: {
      '201': {
        userId: '0197f6a0-1c2d-7e3f-8a4b-5c6d7e8f9a0c',
        externalUserId: 'mia-7',
        contact: {
          id: '0197f6a0-1c2d-7e3f-8a4b-5c6d7e8f9a0d',
          name: 'Ana Gruber',
          phone: '+436601234567',
          email: null,
          priority: 1,
          language: 'de',
          createdAt: exampleTime,
          updatedAt: exampleTime,
        },
      },
    },
  },
  'GET /v1/operator/applications/{id}/texts': {
    operationId: 'listTexts',
    description: 'Every text in use, of one language or of all, with the placeholders that it must name.',
    family,
    parameters: { ...one, language: 'en' },
    answers: { '200': { items: [{ ...text, text: 'Please confirm:', placeholders: [], own: false }] } },
  },
  'PUT /v1/operator/applications/{id}/texts': {
    operationId: 'setText',
    description: 'Sets one text in place of the built-in one; `text: null` restores the built-in one.',
    family,
    parameters: one,
    body: { ...text, text: 'Please answer:' },
    answers: { '200': { ...text, text: 'Please answer:', own: true, warnings: [] } },
  },
  'POST /v1/operator/applications/{id}/texts/preview': {
    operationId: 'previewText',
    description:
      'What an SMS of this text would say with usual values, its segments and its encoding. Changes nothing.',
    family,
    parameters: one,
    body: { key: 'alarm', text: 'SOS: {who} needs help!' },
    answers: {
      '200': { text: 'SOS: Mia needs help! https://sos.example.com/t/…', segments: 1, encoding: 'GSM-7', warnings: [] },
    },
  },
} as const satisfies Readonly<Record<string, Operation>>
