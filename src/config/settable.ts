/** The parts of the setup in the console. A provider is a part of its own, which a test message has to pass. */
type Section =
  | 'address'
  | 'certificate'
  | 'lan'
  | 'messages'
  | 'mail'
  | 'time'
  | 'map'
  | 'lorawan'
  | 'trackers'
  | 'emergency'

/** The providers that can be set up in the console, with the sections of their keys. */
export const providerSections = { twilio: 'twilio', http: 'gateway', modem: 'modem' } as const
export type SettableProvider = keyof typeof providerSections

type Settable = {
  readonly section: Section | (typeof providerSections)[SettableProvider]
  /**
   * `both`: a change needs the password and a code, and every administrator hears of it. It redirects alarms, opens the
   * network or tells another host where people are. The keys of a section share one guard: the history of changes is
   * bounded by section, so no change without both proofs pushes one with them out of it.
   */
  readonly guard: 'both' | 'proof'
  /** Sealed in the store, and never shown. */
  readonly isSecret?: true
}

const provider = (section: Settable['section'], isSecret?: true): Settable => ({
  section,
  guard: 'both',
  ...(isSecret && { isSecret }),
})

/** The keys of the configuration that can be set in the console. `only-in-file.ts` has the others, with reasons. */
export const settable: Readonly<Record<string, Settable>> = {
  publicUrl: { section: 'address', guard: 'both' },
  'acme.enabled': { section: 'certificate', guard: 'both' },
  'acme.directory': { section: 'certificate', guard: 'both' },
  'acme.email': { section: 'certificate', guard: 'both' },
  'acme.domains': { section: 'certificate', guard: 'both' },
  'http.acmePort': { section: 'certificate', guard: 'both' },
  'tls.pem': { section: 'certificate', guard: 'both', isSecret: true },
  'tls.names': { section: 'certificate', guard: 'both' },
  timeZone: { section: 'time', guard: 'proof' },
  'notifications.providers': { section: 'messages', guard: 'both' },
  'notifications.lanHosts': { section: 'lan', guard: 'both' },
  'smtp.url': { section: 'mail', guard: 'both', isSecret: true },
  'smtp.from': { section: 'mail', guard: 'both' },
  'smtp.perSecond': { section: 'mail', guard: 'both' },
  'smtp.connections': { section: 'mail', guard: 'both' },
  // Its host learns where people in distress are.
  'map.tileUrl': { section: 'map', guard: 'both' },
  'map.attribution': { section: 'map', guard: 'both' },
  'map.basemap': { section: 'map', guard: 'both' },
  'map.overlays': { section: 'map', guard: 'both' },
  // Without its network server, an SOS of a tracker does not arrive.
  'lorawan.servers': { section: 'lorawan', guard: 'both', isSecret: true },
  // Decide which uplink is an SOS.
  'lorawan.profiles': { section: 'trackers', guard: 'both' },
  // Helpers dial them.
  'tracking.emergencyNumbers': { section: 'emergency', guard: 'both' },
  'twilio.accountSid': provider('twilio'),
  'twilio.authToken': provider('twilio', true),
  'twilio.from': provider('twilio'),
  'twilio.messagingServiceSid': provider('twilio'),
  'twilio.receipts': provider('twilio'),
  'twilio.smsPerSecond': provider('twilio'),
  'twilio.callsPerSecond': provider('twilio'),
  'twilio.pollSeconds': provider('twilio'),
  'twilio.validitySeconds': provider('twilio'),
  'gateway.url': provider('gateway', true),
  'gateway.headers': provider('gateway', true),
  'gateway.template': provider('gateway', true),
  'gateway.channels': provider('gateway'),
  'modem.spool': provider('modem'),
  'modem.smsPerMinute': provider('modem'),
  'modem.timeoutSeconds': provider('modem'),
  'modem.answers': provider('modem'),
}

/** Secrets that are sent to the address of another key. */
export const boundTo: Readonly<Record<string, string>> = {
  'gateway.headers': 'gateway.url',
  'gateway.template': 'gateway.url',
}

/** The keys of a section, or all. */
export const settableKeys = (section?: Settable['section']): readonly string[] =>
  Object.keys(settable).filter((key) => section === undefined || settable[key]?.section === section)

export const pathOf = (key: string): readonly string[] => key.split('.')

/** The settable key that a problem is about. */
export const settableIn = (problemKey: string): string | null =>
  settableKeys().find(
    (key) =>
      problemKey === key ||
      (['.', '['].includes(problemKey.slice(key.length, key.length + 1)) && problemKey.startsWith(key)),
  ) ?? null
