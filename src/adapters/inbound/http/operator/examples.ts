/** Values for the examples of the operator API's description. */
export const applicationId = '0197f6a0-1c2d-7e3f-8a4b-0000000000a1'
export const exampleTime = '2026-05-01T14:08:12.000Z'
export const operatorId = '0197f6a0-1c2d-7e3f-8a4b-5c6d7e8f9a0b'
export const userId = '0197f6a0-1c2d-7e3f-8a4b-5c6d7e8f9a0c'
export const invitation = 'q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA'

export const me = {
  kind: 'operator',
  id: operatorId,
  name: 'Ana',
  login: 'ana',
  role: 'operator',
  applications: null,
  expiresAt: '2026-05-08T14:08:12.000Z',
  idleUntil: '2026-05-02T02:08:12.000Z',
  site: { name: 'sos.example.org', version: '0.9.0', publicUrl: 'https://sos.example.org', node: null },
}

export const offer = {
  login: 'ana',
  name: 'Ana',
  totpSecret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
  otpauthUri: 'otpauth://totp/sos.example.org:ana?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=sos.example.org',
  expiresAt: '2026-05-04T14:08:12.000Z',
}

const grant = { role: 'operator', applications: null }

export const session = {
  id: '0197f6a0-1c2d-7e3f-8a4b-0000000000c1',
  createdAt: '2026-05-01T14:08:12.000Z',
  seenAt: '2026-05-01T15:00:00.000Z',
  endsAt: '2026-05-02T03:00:00.000Z',
  address: '192.0.2.7',
  browser: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0',
  current: true,
}

export const operator = {
  id: operatorId,
  login: 'ben',
  name: 'Ben',
  ...grant,
  disabled: false,
  createdAt: '2026-05-01T14:08:12.000Z',
  updatedAt: '2026-05-01T14:08:12.000Z',
  signedInAt: null,
}

export const invited = {
  url: `https://sos.example.org/console/#invitation=${invitation}`,
  expiresAt: '2026-05-04T14:08:12.000Z',
}

export const apiToken = {
  id: '0197f6a0-1c2d-7e3f-8a4b-0000000000d1',
  name: 'wall',
  role: 'viewer',
  applications: null,
  createdBy: 'Ana',
  createdAt: '2026-05-01T14:08:12.000Z',
  expiresAt: '2027-01-01T00:00:00.000Z',
  usedAt: null,
}

export const auditRow = {
  id: 17,
  at: '2026-05-01T14:08:12.000Z',
  actor: { kind: 'operator', id: operatorId, name: 'Ana' },
  address: '192.0.2.7',
  action: 'operator.manage',
  subject: operatorId,
  applicationId: null,
  userId: null,
  details: { change: 'updated', fields: ['disabled'] },
}

/** The parameters of a list, and a page of it. */
export const exampleQuery = { cursor: 'WyJ1c2VycyJd', limit: 50, app: applicationId, text: 'mia' }
export const exampleList = (...items: readonly unknown[]) => ({ items, nextCursor: null, hasMore: false })

export const application = {
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
