import type { SetupPartTexts } from './en.ts'

export const setupParts: SetupPartTexts = {
  sections: {
    trackers: 'Profile von Trackern',
    emergency: 'Notrufnummern',
  },
  labels: {
    'map.overlays': 'Hütten, Wege und Landeplätze',
    'lorawan.profiles': 'Eigene Profile',
    'tracking.emergencyNumbers': 'Notrufnummern nach Land',
    'twilio.pollSeconds': 'Nach Zustellberichten fragen alle (s)',
    'twilio.validitySeconds': 'Eine SMS verfällt nach (s)',
  },
  hints: {
    'map.overlays':
      'GeoJSON-Dateien im Datenverzeichnis jedes Knotens, eine pro Zeile. Jeder mit einem Link kann sie sehen.',
    'lorawan.profiles':
      'Welcher Uplink welches Modells ein SOS ist, wie in docs/lorawan.md: Fügen Sie die Zeilen von dort ein. Die mitgelieferten Profile gibt es auch ohne Eintrag.',
    'tracking.emergencyNumbers':
      'Diese Nummern sollen Helfer wählen. Eine pro Zeile, zum Beispiel AT: 140. Für andere Länder steht die übliche da.',
  },
  problems: {
    'is in the local network or on this machine: list its host in notifications.lanHosts first; one on this machine is set in the file':
      'Die Adresse gehört zum lokalen Netz oder zu diesem Rechner. Im lokalen Netz: Erlauben Sie sie zuerst unter „Rechner im lokalen Netz“. Auf diesem Rechner: nur in der Konfigurationsdatei.',
    'must be GeoJSON files (.geojson) in the data directory of this node':
      'Wählen Sie GeoJSON-Dateien, die im Datenverzeichnis dieses Knotens liegen.',
    'is not valid YAML': 'Das ist kein gültiges YAML: Prüfen Sie Einrückungen und Doppelpunkte.',
    'must be profiles by name, as in docs/lorawan.md': 'Geben Sie Profile mit Namen ein, wie in docs/lorawan.md.',
    'must have at most 50 profiles, and 65536 characters together': 'Höchstens 50 Profile, zusammen 65536 Zeichen.',
    'is not an ISO 3166-1 alpha-2 country code in capitals':
      'Beginnen Sie jede Zeile mit den zwei Buchstaben des Landes.',
    'must be a number to dial': 'Geben Sie eine Nummer zum Wählen ein, etwa 140.',
  },
  overridden: (name) => `Was ${name} hier gesetzt hat, gilt nicht. Es gilt wieder, sobald dort nichts mehr steht.`,
  hostNeeded: (key) => `${key} ist auf einem der Rechner, die Sie wegnehmen. Ändern Sie das zuerst.`,
  overlayFiles: (names) => `Auf diesem Knoten: ${names}.`,
  noOverlayFiles: 'Auf diesem Knoten ist noch keine.',
  onlyInFile: {
    lead: 'Nur in der Konfigurationsdatei oder der Umgebung, dann Neustart:',
    why: {
      start: 'nötig, bevor die Datenbank offen ist',
      listeners: 'Ports und was dort antwortet',
      machine: 'Dateien und Programme des Rechners',
      guards: 'Grenzen, die keine Sitzung der Konsole verschiebt, und die Überwachung dieses Dienstes',
      resources: 'Anteile an Arbeitsspeicher, Platte und Verbindungen',
      deletion: 'wie lange Daten bleiben: Gelöschtes lässt sich nicht zurückholen',
      defaults: 'Vorgaben für Anwendungen und Geräte; was eine Anwendung selbst hat, steht auf ihrer Seite',
    },
  },
}
