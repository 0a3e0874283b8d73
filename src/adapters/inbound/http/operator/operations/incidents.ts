import type { Operation } from '../../operation.ts'

const family = 'OPERATOR'
const id = '0197f6a2-77b0-7c11-9a55-1f2e3d4c5b6a'
const app = '0197f69f-3a10-7b22-8c44-5d6e7f809102'
const contactId = '0197f6a0-9b8c-7d6e-8f50-a1b2c3d4e5f6'
const position = { latitude: 47.07133, longitude: 11.40412, altitude: 2140, at: '2026-05-01T14:08:10Z' }

const item = {
  incidentId: id,
  applicationId: app,
  applicationName: 'Alpine huts',
  userId: '0197f6a0-1c2d-7e3f-8a4b-5c6d7e8f9a0b',
  person: { name: 'Mia Gruber', phone: '+436601234567', externalId: 'hiker-1' },
  status: 'acknowledged',
  type: 'sos',
  version: 4,
  openedAt: '2026-05-01T14:08:12.000Z',
  occurredAt: '2026-05-01T14:08:10Z',
  pressedAt: '2026-05-01T14:08:10.000Z',
  lateSeconds: null,
  updatedAt: '2026-05-01T14:09:02.000Z',
  closedAt: null,
  urgency: 4,
  presses: 1,
  round: 1,
  lastPressAt: '2026-05-01T14:08:12.000Z',
  answer: {
    by: { kind: 'operator', name: 'Eva' },
    kind: 'acknowledged',
    at: '2026-05-01T14:09:02.000Z',
    overdue: false,
  },
  delivered: true,
  firstMessage: null,
  new: false,
  held: false,
  drill: false,
  simulated: false,
  position,
  battery: { phone: 64 },
  closing: null,
  toCallBack: 0,
}

const incidentCase = {
  incident: item,
  snapshot: { snapshotVersion: 4, items: [] },
  contacts: [
    {
      contactId,
      name: 'Ana Berger',
      phone: '+436607654321',
      priority: 1,
      language: 'de',
      status: 'delivered',
      channels: [{ channel: 'sms', status: 'delivered', at: '2026-05-01T14:08:24.000Z' }],
      response: null,
      acknowledgedAt: null,
      calledBack: null,
      removed: false,
      position: 'shown',
    },
  ],
  timeline: [
    { at: '2026-05-01T14:08:12.000Z', kind: 'pressed', occurredAt: '2026-05-01T14:08:10Z', relayed: false },
    { at: '2026-05-01T14:09:02.000Z', kind: 'action', action: 'take', by: 'Eva', contactId: null },
  ],
  trail: [position],
  remarks: [{ field: 'timestamp', message: 'is more than 5 min in the future; the time of arrival is used instead' }],
  notes: [],
  calledBack: [],
  next: [{ at: '2026-05-01T14:39:02.000Z', what: 'check_in' }],
  mayUndoTakeUntil: '2026-05-01T14:10:02.000Z',
  profile: { name: 'Mia Gruber', phone: '+436601234567', email: null, address: null },
}

const one = { family, parameters: { id }, answers: { '200': incidentCase } } as const
const file = { family, parameters: { id } } as const
const search = {
  app,
  from: '2026-05-01T00:00:00Z',
  to: '2026-06-01T00:00:00Z',
  text: 'gruber',
  status: 'active,acknowledged',
  drills: 'true',
}
const CONFLICT =
  'Answers with the incident as it is now; 409 if someone else was first or it is too late, with the incident in the error.'

export const incidentOperations = {
  'GET /v1/operator/incidents': {
    operationId: 'listIncidents',
    description:
      'Open ones: the most urgent first over all pages, and of these the oldest; 1,000 (or `limit`) a page. Others: newest first. A page may be short, or empty, before the end: it reads at most 20,000 incidents.',
    family,
    parameters: { ...search, state: 'open', cursor: 'WyJib2FyZCIsMSwyXQ', limit: 50 },
    answers: { '200': { items: [item], nextCursor: null, hasMore: false } },
  },
  'GET /v1/operator/incidents/{id}': {
    operationId: 'getIncident',
    description:
      'One incident with its contacts, what has happened, its trail, notes, and what happens next automatically. Each look leaves a row in the audit log, one an hour; `ahead` one like a look at the list, for a screen that keeps cases at hand which nobody has opened.',
    ...one,
    parameters: { id, ahead: 'true' },
  },
  'POST /v1/operator/incidents/{id}/seen': {
    operationId: 'markIncidentSeen',
    description: 'Somebody has opened it on a screen: it is no longer `new`. Takes nothing and stops nothing.',
    ...one,
  },
  'POST /v1/operator/incidents/{id}/take': {
    operationId: 'takeIncident',
    description: `The operator helps: the cascade stops as with a contact's answer. With \`presses\`, 409 \`pressed_again\` if there are more. ${CONFLICT}`,
    ...one,
    parameters: { id, presses: 1 },
  },
  'POST /v1/operator/incidents/{id}/untake': {
    operationId: 'untakeIncident',
    description: `The operator who took it releases it within a minute: the cascade goes on. ${CONFLICT}`,
    ...one,
  },
  'POST /v1/operator/incidents/{id}/take-over': {
    operationId: 'takeIncidentOver',
    description: `Takes it over at once from the operator who has it (\`takenBy\` of the item), whose console says so. It answers no alarm: what runs goes on. 409 \`taken_by_another\` if somebody else has it by now, \`not_taken\` if nobody has. ${CONFLICT}`,
    body: { from: '0197f69e-6f00-7a10-9b20-1a2b3c4d5e6f' },
    ...one,
  },
  'POST /v1/operator/incidents/{id}/resolve': {
    operationId: 'resolveIncident',
    description: `Closes it; everyone who was alerted is told. With \`presses\`, 409 \`pressed_again\` if there are more. The body is optional: how it turned out, for the report, the table and the statistics; nobody is told of it. ${CONFLICT}`,
    body: { outcome: 'hospital', note: 'Broken leg, flown to Innsbruck.' },
    ...one,
    parameters: { id, presses: 1 },
  },
  'POST /v1/operator/incidents/{id}/resume': {
    operationId: 'resumeIncident',
    description: `Continues an incident that came with a restored backup and is held. ${CONFLICT}`,
    ...one,
  },
  'POST /v1/operator/incidents/{id}/alarm-now': {
    operationId: 'alarmNow',
    description: `Alarms at once with the presses that are put off (\`putOff\`), and answers with the case of the new incident. ${CONFLICT}`,
    ...one,
  },
  'POST /v1/operator/incidents/{id}/resend': {
    operationId: 'resendToContact',
    description: `Sends the alarm to one contact once more, at most once a minute (429 with Retry-After). ${CONFLICT}`,
    body: { contactId },
    ...one,
  },
  'POST /v1/operator/incidents/{id}/contacts/{contactId}/show-position': {
    operationId: 'showPositionToContact',
    description: `Lets a contact whom the user's own session added during the alarm see the position. ${CONFLICT}`,
    family,
    parameters: { id, contactId },
    answers: { '200': incidentCase },
  },
  'POST /v1/operator/incidents/{id}/notes': {
    operationId: 'addIncidentNote',
    description: 'Adds a note of up to 2,000 characters. An incident holds 500; they are kept as long as it is.',
    body: { text: 'Helicopter on its way, ETA 20 min.', writtenAt: '2026-05-01T14:12:00Z' },
    ...one,
  },
  'POST /v1/operator/incidents/{id}/called-back': {
    operationId: 'tickCalledBack',
    description:
      'Notes that someone was called back after the end: a contact, or with null the person. The first note stays. 409 while it is open.',
    body: { contactId: null, writtenAt: '2026-05-01T16:12:00Z' },
    ...one,
  },
  'GET /v1/operator/incidents/{id}/export.json': {
    operationId: 'exportIncident',
    description: 'What `GET /v1/operator/incidents/{id}` answers, as a file.',
    ...file,
  },
  'GET /v1/operator/incidents/{id}/trail.gpx': {
    operationId: 'exportTrailAsGpx',
    description: 'The newest 1,000 positions as a track in GPX 1.1, oldest first.',
    ...file,
  },
  'GET /v1/operator/incidents/{id}/trail.csv': {
    operationId: 'exportTrailAsCsv',
    description: 'The newest 1,000 positions as CSV (UTF-8), oldest first: at, latitude, longitude, altitude, source.',
    ...file,
  },
  'GET /v1/operator/incidents/{id}/report': {
    operationId: 'printIncident',
    description:
      'The incident as an HTML page to print, in the language asked for, else the browser’s, else that of the application (en, de, fr, es, it). Loads nothing from elsewhere.',
    family,
    parameters: { id, language: 'de' },
  },
  'GET /v1/operator/incidents.csv': {
    operationId: 'exportIncidents',
    description:
      'Incidents of a period as CSV (UTF-8), newest first, 20,000 at most. Texts that a spreadsheet would take for a formula begin with an apostrophe.',
    family,
    parameters: search,
  },
} as const satisfies Readonly<Record<string, Operation>>
