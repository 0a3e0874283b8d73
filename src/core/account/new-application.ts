import type { Application } from './application.ts'

/** A new application. Unless `given` says otherwise, it notifies emergency contacts with the built-in texts. */
export const newApplication = (
  given: Pick<Application, 'id' | 'name' | 'language' | 'createdAt'> & Partial<Application>,
): Application => ({
  legacy: false,
  disabled: false,
  settings: {},
  actuators: { emergency_contacts: {} },
  texts: {},
  allowedPrefixes: [],
  timeZone: null,
  corsOrigins: [],
  fallbackContact: null,
  silentAfterMinutes: 0,
  verifyContacts: false,
  silentByDefault: false,
  relays: 'any',
  mapLink: null,
  webApp: null,
  smsSos: false,
  smsNumber: null,
  ...given,
})
