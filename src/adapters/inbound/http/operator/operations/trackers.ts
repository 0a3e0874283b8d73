import type { Operation } from '../../operation.ts'
import { applicationId, exampleTime } from '../examples.ts'

const family = 'OPERATOR'
const userId = '0197f6a0-1c2d-7e3f-8a4b-5c6d7e8f9a0c'
const page = { cursor: 'WyJ1c2VycyJd', limit: 50, app: applicationId, text: 'mia' }
const list = (...items: readonly unknown[]) => ({ items, nextCursor: null, hasMore: false })
const hardwareId = 'T1000-0042'

const tracker = {
  applicationId,
  hardwareId: 'T1000-0042',
  model: 'T1000',
  userId,
  externalUserId: 'mia-7',
  pairedAt: exampleTime,
  lockedUntil: null,
  silentAfterMinutes: null,
  silentSince: null,
}
const rejected = [{ line: 3, field: 'pairingCode', message: 'is too easy to guess' }]
const detail = {
  ...tracker,
  disabled: false,
  applicationSilentAfterMinutes: 720,
  tokenMadeAt: exampleTime,
  heardAt: exampleTime,
  battery: 80,
  sosSince: null,
  address: 'https://sos.example.org/v1/trackers',
}
const token = 'bXl0b2tlbi1teXRva2VuLW15dG9rZW4tbXl0b2tlbjEy'

/** Trackers in the operator API. */
export const trackerOperations = {
  'GET /v1/operator/devices': {
    operationId: 'listTrackers',
    description:
      'Registered trackers and whose they are; `text` looks in hardware id, model and external id. With `silent=true` only devices that count as silent.',
    family,
    parameters: { ...page, silent: 'true' },
    answers: { '200': list(tracker) },
  },
  'POST /v1/operator/devices': {
    operationId: 'registerTracker',
    description:
      'Adds a tracker, or gives it a new pairing code and unlocks it. Without a code one of 8 characters is made, and stands in the answer. A code is never shown again.',
    family,
    body: { applicationId, hardwareId: 'T1000-0042', pairingCode: 'swordfish-1', model: 'T1000' },
    answers: { '200': { ...tracker, userId: null, externalUserId: null, pairedAt: null } },
  },
  'POST /v1/operator/devices/import': {
    operationId: 'importTrackers',
    description:
      'Registers up to 500 trackers of a CSV file, all of them or none; with `partial=true` the valid lines even if others are invalid. Errors name the line.',
    family,
    parameters: { app: applicationId, partial: 'true' },
    body: 'hardwareId,pairingCode,model\nT1000-0042,swordfish-1,T1000\n',
    answers: { '200': { registered: 1, rejected } },
  },
  'POST /v1/operator/devices/unpair': {
    operationId: 'unpairTracker',
    description: 'Unpairs a tracker from its user. It stays registered and can be paired again.',
    family,
    body: { applicationId, hardwareId: 'T1000-0042' },
    answers: { '200': { ...tracker, userId: null, externalUserId: null, pairedAt: null } },
  },
  'POST /v1/operator/devices/watch': {
    operationId: 'watchTracker',
    description:
      'Sets after how many minutes without a report a tracker counts as silent; null: the setting of its application.',
    family,
    body: { applicationId, hardwareId: 'T1000-0042', silentAfterMinutes: 360 },
    answers: { '200': { ...tracker, silentAfterMinutes: 360 } },
  },
  'GET /v1/operator/devices/show': {
    operationId: 'getTracker',
    description:
      'One tracker with when it was last heard from, its battery, its token and from when on it counts as silent. Noted in the audit log.',
    family,
    parameters: { app: applicationId, hardwareId },
    answers: { '200': detail },
  },
  'POST /v1/operator/devices/token': {
    operationId: 'makeTrackerToken',
    description:
      'Gives a paired tracker its own token and the set-up links of its apps; the previous token ends. `externalUserId` pairs it first if nobody has paired it. Token and links are shown only once. A session has to be proved.',
    family,
    body: { applicationId, hardwareId, externalUserId: 'mia-7' },
    answers: {
      '201': {
        ...detail,
        token,
        traccar: `https://sos.example.org/v1/trackers/osmand?id=${token}`,
        ownTracks: 'owntracks:///config?inline=eyJfdHlwZSI6ImNvbmZpZ3VyYXRpb24ifQ%3D%3D',
        ownTracksMqtt: null,
      },
    },
  },
  'POST /v1/operator/devices/token/revoke': {
    operationId: 'revokeTrackerToken',
    description:
      'Revokes the token of a tracker: nobody who has it can report any more. Also while its user is disabled. A session has to be proved.',
    family,
    body: { applicationId, hardwareId },
    answers: { '200': { ...detail, tokenMadeAt: null } },
  },
} as const satisfies Readonly<Record<string, Operation>>
