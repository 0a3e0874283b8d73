import type { Notification, TextNotification } from '../../src/ports/notifier.ts'

type Text = Extract<Notification, TextNotification>

/** The SMS of an alarm to one contact, as the port hands it to a provider. `changes` override fields. */
export const textNotification = (changes: Partial<Text> = {}): Text => ({
  attemptId: 'i.1',
  incidentId: 'i',
  claimedAt: 0,
  timeoutMs: 1_000,
  channel: 'sms',
  purpose: 'alarm',
  first: true,
  contactId: 'c',
  to: '+4366012345678',
  text: 'SOS',
  language: 'en',
  token: 'x',
  outsidePrefixes: false,
  ackTimeoutMs: 60_000,
  provider: null,
  providerRef: null,
  otherRefs: [],
  ...changes,
})
