import type { TrackerTexts } from './en.ts'

export const trackers: TrackerTexts = {
  tracker: {
    state: 'Zustand',
    lastHeard: 'Letzte Meldung',
    battery: 'Akku',
    unknown: 'Unbekannt',
    silentMeans: (time) =>
      `Keine Meldung seit ${time}. Vielleicht ist der Tracker ausgeschaltet, ohne Empfang oder sein Akku leer.`,
    flagMeans: (time) => `Der Tracker meldet SOS seit ${time}.`,
    disabledMeans:
      'Die Person oder die Anwendung ist gesperrt: Der Tracker kann sich nicht melden und kein SOS senden.',
    unpairedMeans: 'Nicht gekoppelt: Ein SOS von diesem Tracker alarmiert keine Kontakte.',
    silence: 'Wenn kein Signal mehr kommt',
    silenceOfAll: 'Wenn von einem Tracker kein Signal mehr kommt',
    silenceMeans:
      'Kommt so lange keine Meldung, erfährt es der Chat der Anwendung, und die Konsole zeigt es an. Ein SOS wird daraus nie.',
    warn: 'Warnen',
    never: 'Nie',
    after: 'Nach eigener Frist',
    afterAll: 'Nach',
    asApplication: (interval) => `Wie die Anwendung: ${interval}`,
    count: 'Wie lange',
    unit: 'Einheit',
    units: { min: 'Minuten', h: 'Stunden', d: 'Tage' },
    range: 'Von 15 Minuten bis 30 Tage.',
    token: 'Token und Einrichtung',
    tokenMeans:
      'Mit einem eigenen Token meldet sich ein Telefon mit Traccar Client oder OwnTracks, oder ein Tracker, der OsmAnd spricht, von selbst. Wer das Token hat, kann im Namen der Person Positionen melden und ein SOS auslösen.',
    noToken: 'Der Tracker hat kein Token.',
    tokenSince: (time) => `Der Tracker hat ein Token seit ${time}.`,
    owner: 'Person (externe Kennung)',
    ownerHint: 'Koppelt den Tracker zuerst mit dieser Person.',
    make: 'Token erstellen',
    replace: 'Neues Token erstellen',
    replaceAsk: 'Neues Token erstellen?',
    replaceMeans:
      'Das bisherige gilt sofort nicht mehr. Bis das neue eingerichtet ist, kann der Tracker kein SOS senden.',
    revoke: 'Token widerrufen',
    revokeAsk: 'Token widerrufen?',
    revokeMeans: 'Der Tracker kann sich ab sofort nicht mehr melden und kein SOS senden.',
    onlyNow: 'Wird nur jetzt angezeigt und verschwindet, wenn Sie diese Seite verlassen, spätestens in',
    hasReported: 'Es klappt: Der Tracker hat sich gemeldet.',
    app: 'App oder Tracker',
    apps: {
      traccar: 'Traccar Client',
      ownTracks: 'OwnTracks',
      ownTracksMqtt: 'OwnTracks über MQTT',
      byHand: 'Manuell',
    },
    howTo: {
      traccar: 'In den Einstellungen von Traccar Client scannen.',
      ownTracks: 'Mit der Kamera des Telefons scannen. OwnTracks meldet nur Positionen, es hat kein SOS.',
      ownTracksMqtt:
        'Mit der Kamera des Telefons scannen. Das Telefon muss dem Zertifikat des Dienstes vertrauen. OwnTracks hat kein SOS.',
      byHand: 'Für alles, was OsmAnd spricht: die Adresse, und das Token als Kennung.',
    },
    qrOf: (app) => `QR-Code für ${app}`,
    link: 'Link',
    address: 'Adresse',
    secret: 'Token',
    hide: 'Fertig: ausblenden',
  },
  contactCheck: {
    state: 'Bestätigt',
    confirmed: 'Bestätigt',
    declined: 'Kennt die Person nicht: wird zuletzt alarmiert',
    open: 'Noch nicht',
    ask: 'Um Bestätigung bitten',
    asked: (name) =>
      `${name} wird per SMS gefragt, außer die Nummer wurde heute schon gefragt. Die Antwort erscheint hier.`,
    already: (name) => `${name} hat schon bestätigt.`,
  },
  trackerRefusals: {
    bad_csv:
      'Nichts wurde erfasst. Die erste Zeile muss hardwareId,pairingCode,model lauten, und höchstens 500 Tracker dürfen folgen.',
    user_not_found: 'Diese Person gibt es nicht.',
    not_paired: 'Niemand hat diesen Tracker gekoppelt. Geben Sie die Person an.',
    paired_to_another: 'Jemand anderes hat diesen Tracker gekoppelt. Entkoppeln Sie ihn zuerst.',
    device_limit: 'Diese Person hat bereits die Höchstzahl an Trackern. Entkoppeln Sie zuerst einen.',
    tracker_disabled: 'Die Person oder die Anwendung ist gesperrt: Was der Tracker sendet, würde nicht angenommen.',
    verification_limit:
      'Mehr geht gerade nicht: Eine Nummer wird einmal am Tag gefragt. Versuchen Sie es morgen wieder.',
    verification_used_up: 'Diese Nummer wurde dreimal gefragt und wird nicht mehr gefragt. Rufen Sie an.',
  },
}
