/** Texts of further parts of the site's setup, and of the keys that only the file sets. */
export const setupParts = {
  sections: {
    trackers: 'Profiles of trackers',
    emergency: 'Emergency numbers',
  },
  labels: {
    'map.overlays': 'Huts, trails and helipads',
    'lorawan.profiles': 'Profiles of your own',
    'tracking.emergencyNumbers': 'Emergency numbers by country',
    'twilio.pollSeconds': 'Ask for receipts every (s)',
    'twilio.validitySeconds': 'An SMS is given up after (s)',
  },
  hints: {
    'map.overlays':
      'GeoJSON files in the data directory, on each node; one on each line. Anyone who has a link can see them.',
    'lorawan.profiles':
      'Which uplink of which model is an SOS, as in docs/lorawan.md: paste the lines from there. The shipped profiles are there without it.',
    'tracking.emergencyNumbers':
      'Helpers are told to dial them. One on each line, such as AT: 140. For other countries the usual one is shown.',
  },
  problems: {
    'is in the local network or on this machine: list its host in notifications.lanHosts first; one on this machine is set in the file':
      'It is in the local network or on this machine. In the local network, allow it first under “Hosts in the local network”; on this machine, only the configuration file can set it.',
    'must be GeoJSON files (.geojson) in the data directory of this node':
      'Choose GeoJSON files that are in the data directory of this node.',
    'is not valid YAML': 'It is not valid YAML: check the indentation and the colons.',
    'must be profiles by name, as in docs/lorawan.md': 'Enter profiles by name, as in docs/lorawan.md.',
    'must have at most 50 profiles, and 65536 characters together':
      'Enter at most 50 profiles, and 65536 characters together.',
    'is not an ISO 3166-1 alpha-2 country code in capitals': 'Begin each line with the two letters of the country.',
    'must be a number to dial': 'Enter a number to dial, such as 140.',
  },
  overridden: (name: string) => `What ${name} set here does not count. It counts again when it is no longer set there.`,
  hostNeeded: (key: string) => `${key} is at one of the hosts that you take away. Change that first.`,
  overlayFiles: (names: string) => `On this node: ${names}.`,
  noOverlayFiles: 'There is none on this node yet.',
  onlyInFile: {
    lead: 'Only in the configuration file or the environment, then a restart:',
    why: {
      start: 'needed before the database is open',
      listeners: 'ports and what answers there',
      machine: 'files and programs of the machine',
      guards: 'limits that no session of the console moves, and the watch over this service',
      resources: 'shares of memory, disk and connections',
      deletion: 'how long data is kept: no undo brings it back',
      defaults: 'defaults of applications and devices; an application’s own settings are on its page',
    } as Readonly<Record<string, string>>,
  },
}

export type SetupPartTexts = typeof setupParts
