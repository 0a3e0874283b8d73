import type { Operation } from './operation.ts'

const token = 'bXl0b2tlbi1teXRva2VuLW15dG9rZW4tbXl0b2tlbjEy'
const attemptId = '0190b2e7-4c15-7f08-b3d1-9e8a6c5f2041.1'
const at = '2026-07-04T09:12:31Z'

const report =
  '200 means that the report is stored, or that it cannot be read and is kept as a dead letter: trackers send nothing else before the oldest report has gone through. `alarm=sos` raises an SOS of the owner. A wrong token is answered more slowly each time.'

const parameters = {
  token,
  id: token,
  timestamp: at,
  lat: '47.0742',
  lon: '12.6939',
  location: '47.0742,12.6939',
  valid: 'true',
  altitude: '2890',
  accuracy: '8',
  batt: '64',
  alarm: 'sos',
}
const osmandBody = {
  device_id: token,
  location: {
    timestamp: at,
    coords: { latitude: 47.0742, longitude: 12.6939, altitude: 2890, accuracy: 8 },
    battery: { level: 0.64 },
    extras: { alarm: 'sos' },
  },
}
const osmand = (operationId: string, body?: unknown): Operation => ({
  operationId,
  description: report,
  family: null,
  parameters,
  ...(body !== undefined && { body }),
  answers: { '200': '' },
})

/** Trackers, network servers and providers, which speak protocols of their own. */
export const machineOperations: Readonly<Record<string, Operation>> = {
  'POST /v1/trackers/owntracks': {
    operationId: 'reportOwnTracks',
    description:
      'A position of the OwnTracks apps, which have no SOS. 200 means that it is stored, ignored, or kept as a dead letter because it cannot be read. The token is the password of HTTP Basic.',
    family: null,
    body: { _type: 'location', tst: 1_783_156_351, lat: 47.0742, lon: 12.6939, alt: 2890, acc: 8, batt: 64 },
    answers: { '200': [] },
  },
  'GET /v1/trackers/osmand': osmand('reportOsmandParameters'),
  'POST /v1/trackers/osmand': osmand('reportOsmand', osmandBody),
  'GET /v1/trackers/osmand/{token}': osmand('reportOsmandParametersByToken'),
  'POST /v1/trackers/osmand/{token}': osmand('reportOsmandByToken', osmandBody),
  'POST /v1/lorawan/{server}': {
    operationId: 'takeNetworkServerEvent',
    description:
      'ChirpStack’s HTTP integration, or a webhook of The Things Stack. Uplinks become telemetry and SOS of the owner of the tracker with that DevEUI. 204 means that the event is stored, or kept as a dead letter. Never rate limited.',
    family: null,
    parameters: { server: 'valley', event: 'up' },
    body: {
      time: at,
      deviceInfo: { devEui: 'a84041ffff185123', deviceName: 'Mia' },
      devAddr: '00189440',
      fCnt: 17,
      fPort: 3,
      data: 'k1Ab9krA+U24cgVB',
    },
  },
  'POST /twilio/{attemptId}/status': {
    operationId: 'takeTwilioStatus',
    description:
      'Twilio reports the status of an SMS or a call. The route exists only where Twilio calls back (`twilio.receipts`). 403 without a valid signature over `publicUrl`. Never rate limited.',
    family: null,
    parameters: { attemptId },
    body: { MessageSid: 'SM00000000000000000000000000000000', MessageStatus: 'delivered' },
  },
  'POST /twilio/{attemptId}/call': {
    operationId: 'takeTwilioKey',
    description:
      'Twilio passes on the key that a contact pressed, and gets what the call says next. The route exists only where Twilio calls back (`twilio.receipts`). 403 without a valid signature over `publicUrl`. Never rate limited.',
    family: null,
    parameters: { attemptId, round: '1', language: 'de' },
    body: { CallSid: 'CA00000000000000000000000000000000', Digits: '1' },
    answers: { '200': '<?xml version="1.0" encoding="UTF-8"?><Response><Hangup/></Response>' },
  },
}
