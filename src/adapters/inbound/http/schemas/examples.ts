/** One user's day, as the examples of the OpenAPI document. A test checks each of them against its schema. */

const APP_ID = '0190a1c4-0f3a-7c52-9d6e-3f1b7a2c8e10'
const USER_ID = '0190a1c5-7b21-7d44-8a90-5c2e1f6b3d77'
const INCIDENT_ID = '0190b2e7-4c15-7f08-b3d1-9e8a6c5f2041'
const ANA_ID = '0190a1c6-1d02-7a3b-9c4d-2b8f7e6a5c31'
const BEN_ID = '0190a1c6-5e44-7b1c-8d2e-6f3a9b7c4d52'
const OPENED_AT = '2026-07-04T09:12:33.104Z'
const PRESSED_AT = '2026-07-04T09:12:31.482915Z'

const profileFields = {
  id: USER_ID,
  appId: APP_ID,
  externalUserId: 'mia@hikers',
  name: 'Mia Moser',
  email: 'mia@example.org',
  phone: '+436601234567',
  address: null,
}
export const profile = { ...profileFields, user: profileFields }
export const profileUpdate = { name: 'Mia Moser', phone: '+436601234567', address: null }

export const contact = {
  id: ANA_ID,
  name: 'Ana',
  phone: '+436641111111',
  email: null,
  priority: 1,
  language: 'de',
  createdAt: '2026-06-28T17:40:02.000Z',
  updatedAt: '2026-06-28T17:40:02.000Z',
}
export const ownReadiness = {
  status: 'attention',
  findings: [
    {
      code: 'contact_unverified',
      blocking: false,
      contactId: '0197f6a0-1c2d-7e3f-8a4b-5c6d7e8f9a0b',
      text: 'Ana has not confirmed yet.',
      remedy: 'Ask Ana to confirm.',
    },
  ],
}
export const newContact = { name: 'Ana', phone: '+436641111111', language: 'de', priority: 1 }
export const contactOrder = { contactIds: [ANA_ID, BEN_ID] }
export const contactId = ANA_ID

export const alert = {
  timestamp: PRESSED_AT,
  latitude: 47.0742,
  longitude: 12.6939,
  altitude: 2890,
  mobileBattery: 64,
  mobileCoverage: { networkType: 'LTE', isConnected: true },
}
export const telemetry = { timestamp: '2026-07-04T09:20:00Z', latitude: 47.075, longitude: 12.691, mobileBattery: 61 }
const position = { latitude: 47.0742, longitude: 12.6939, altitude: 2890, at: PRESSED_AT }

export const end = { alert: { timestamp: PRESSED_AT } }
/** Right after the alert: the plan. */
export const incident = {
  appId: APP_ID,
  userId: USER_ID,
  incidentId: INCIDENT_ID,
  status: 'active',
  occurredAt: PRESSED_AT,
  openedAt: OPENED_AT,
  updatedAt: OPENED_AT,
  acknowledgedAt: null,
  cancelledAt: null,
  resolvedAt: null,
  snapshotVersion: 1,
  actuators: {
    snapshotVersion: 1,
    items: [
      {
        id: 'emergency_contacts',
        type: 'emergency_contacts',
        status: 'scheduled',
        outcome: 'pending',
        contacts: [
          {
            contactId: ANA_ID,
            name: 'Ana',
            priority: 1,
            status: 'scheduled',
            channels: [
              { channel: 'sms', status: 'scheduled' },
              { channel: 'voice', status: 'scheduled' },
            ],
          },
        ],
      },
    ],
  },
  lastPosition: position,
  relay: null,
}
const page = <T>(items: readonly T[]) => ({ items, nextCursor: null, hasMore: false })
export const incidents = page([
  {
    ...incident,
    creationTelemetry: { ...alert, receivedAt: OPENED_AT },
    positionTrail: [position],
  },
])
export const telemetryPage = page([{ ...telemetry, receivedAt: '2026-07-04T09:20:00.733Z' }])
export const telemetryTaken = { accepted: true, incidentId: INCIDENT_ID }
export const rows = { items: [telemetry, { timestamp: '2026-07-04T09:21:00Z', latitude: 47.076 }] }
export const rowsTaken = {
  accepted: 1,
  duplicates: 0,
  rejected: [{ index: 1, field: 'longitude', message: 'must be sent together with latitude' }],
}

export const device = {
  id: '0190a1c8-90d3-7e11-a2b4-7c5d8f9e6a13',
  hardwareId: 'TRK-1042',
  firmwareVersion: '2.4.1',
  hardwareModel: 'Mk 2',
  pairedAt: '2026-06-29T08:15:44.000Z',
  createdAt: '2026-06-29T08:15:44.000Z',
  updatedAt: '2026-06-29T08:15:44.000Z',
}
export const pairing = { pairingCode: '7F3K-92QX', hardwareId: 'TRK-1042', firmwareVersion: '2.4.1' }

export const token = {
  token: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIwMTkwIn0.c2lnbmF0dXJl',
  expiresAt: '2026-07-04T09:30:00.000Z',
}
export const feedback = { message: 'The map is hard to read in the sun.', category: 'map', rating: 4 }
export const feedbackTaken = { id: '0190b301-2f6a-7c90-9e1d-4a5b6c7d8e9f', createdAt: '2026-07-04T10:02:11.000Z' }

const username = `sdk:${APP_ID}:mia@hikers`
export const brokerConnect = { username, password: 'a3f1'.repeat(16), clientid: `svc_${APP_ID}_mia` }
export const brokerAccess = {
  username,
  clientid: `svc_${APP_ID}_mia`,
  topic: `sos/alerts/${USER_ID}`,
  action: 'publish',
}

/** Abridged: a region has several data rates and sub-bands. */
export const region = {
  country: 'DE',
  regionCode: 'EU868',
  regionByte: 5,
  loraRegionByte: 5,
  sub: null,
  deviceConfig: {
    commonName: 'EU863-870',
    ids: {
      loramacNode: 5,
      lorawanPlanId: 1,
      basicsModem: 1,
      rui3: 4,
      dragino: 1,
      chirpstack: 0,
      helium: 1,
      mcciLmic: 1,
      meshtastic: 3,
      loramacNodeSub: null,
    },
    regionByte: 5,
    freqMHz: [863, 870],
    rx2: { dr: 0, freqMHz: 869.525 },
    maxEirpDbm: 16,
    dwellTimeMs: null,
    defaultUplinkDr: 0,
    dataRates: [{ dr: 0, sf: 12, bwKHz: 125, maxMacPayload: 59 }],
    defaultChannelsMHz: [868.1, 868.3, 868.5],
    subBands: [{ etsi: 'M (g1)', fromMHz: 868, toMHz: 868.6, dutyCycle: 0.01, maxErpDbm: 14, maxEirpDbm: 16.15 }],
  },
  raw: { plan: 'EU868', sub: null, alternatives: ['EU433'], confidence: 'high', sources: ['rp002-1.0.4(hplans)'] },
}
