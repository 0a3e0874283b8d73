/** Values for the examples of the operator API's description. */
export const applicationId = '0197f6a0-1c2d-7e3f-8a4b-0000000000a1'
export const exampleTime = '2026-05-01T14:08:12.000Z'
export const operatorId = '0197f6a0-1c2d-7e3f-8a4b-5c6d7e8f9a0b'
export const userId = '0197f6a0-1c2d-7e3f-8a4b-5c6d7e8f9a0c'
export const invitation = 'q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA'

export const exampleUser = {
  id: userId,
  applicationId,
  externalUserId: 'mia-7',
  name: 'Mia Moser',
  email: null,
  phone: '+436601234567',
  address: null,
  language: null,
  groups: [],
  disabled: false,
  relay: false,
  enrolledBy: null,
  erasesAt: null,
  createdAt: exampleTime,
  updatedAt: exampleTime,
}

export const exampleContact = {
  id: '0197f6a0-1c2d-7e3f-8a4b-5c6d7e8f9a0d',
  name: 'Ana Gruber',
  phone: '+436601234567',
  email: null,
  priority: 1,
  language: 'de',
  createdAt: exampleTime,
  updatedAt: exampleTime,
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
  webApp: { on: false, colour: '#b3261e', country: 'AT', emergencyNumber: '112' },
  smsSos: false,
  smsNumber: null,
  fallbackContact: { name: 'Rescue centre', phone: '+43512000000' },
  texts: {},
  settings: { graceSeconds: 10, rounds: 3 },
  ownSettings: { rounds: 3 },
}

export const tracker = {
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
