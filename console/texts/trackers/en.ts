/** Texts of one tracker, its token, and of asking contacts. */
export const trackers = {
  tracker: {
    state: 'State',
    lastHeard: 'Last heard',
    battery: 'Battery',
    unknown: 'Unknown',
    silentMeans: (time: string) =>
      `Nothing heard from it since ${time}. It may be switched off, out of battery or out of range.`,
    flagMeans: (time: string) => `It has reported SOS since ${time}.`,
    disabledMeans: 'Its owner or its application is disabled: it can neither report nor send an SOS.',
    unpairedMeans: 'Nobody has paired it: an SOS from it alerts no contacts.',
    silence: 'When it falls silent',
    silenceOfAll: 'When a tracker falls silent',
    silenceMeans:
      'If nothing is heard for this long, the application’s chat is told and the console marks it. It is never an SOS.',
    warn: 'Warn',
    never: 'Never',
    after: 'After a time of its own',
    afterAll: 'After',
    asApplication: (interval: string) => `Same as its application: ${interval}`,
    count: 'How long',
    unit: 'Unit',
    units: { min: 'minutes', h: 'hours', d: 'days' },
    range: 'From 15 minutes to 30 days.',
    token: 'Token and set-up',
    tokenMeans:
      'With a token of its own, a phone with Traccar Client or OwnTracks, or a tracker that speaks OsmAnd, reports by itself. Anyone who has the token can report and raise an SOS as its owner.',
    noToken: 'It has no token.',
    tokenSince: (time: string) => `It has had a token since ${time}.`,
    owner: 'Owner (external id)',
    ownerHint: 'Pairs the tracker with this person first.',
    make: 'Create a token',
    replace: 'Create a new token',
    replaceAsk: 'Create a new token?',
    replaceMeans: 'The current one stops working at once. Until the new one is set up, the tracker cannot send an SOS.',
    revoke: 'Revoke the token',
    revokeAsk: 'Revoke the token?',
    revokeMeans: 'From now on the tracker can neither report nor send an SOS.',
    onlyNow: 'Shown only once. It disappears when you leave this page, or in',
    hasReported: 'It works: the tracker has reported.',
    app: 'App or tracker',
    apps: {
      traccar: 'Traccar Client',
      ownTracks: 'OwnTracks',
      ownTracksMqtt: 'OwnTracks over MQTT',
      byHand: 'Manual set-up',
    },
    howTo: {
      traccar: 'Scan this in the settings of Traccar Client.',
      ownTracks: 'Scan this with the phone’s camera. OwnTracks only reports positions; it has no SOS.',
      ownTracksMqtt:
        'Scan this with the phone’s camera. The phone has to trust the service’s certificate. OwnTracks has no SOS.',
      byHand: 'For anything that speaks OsmAnd: the address, and the token as its identifier.',
    },
    qrOf: (app: string) => `QR code for ${app}`,
    link: 'Link',
    address: 'Address',
    secret: 'Token',
    hide: 'Done: hide it',
  },
  contactCheck: {
    state: 'Confirmed',
    confirmed: 'Confirmed',
    declined: 'Doesn’t know this person: alerted last',
    open: 'Not yet',
    ask: 'Ask to confirm',
    asked: (name: string) =>
      `${name} will be asked by SMS, unless this number was already asked today. The answer will show here.`,
    already: (name: string) => `${name} has already confirmed.`,
  },
  /** By the `reason` of the API's error. */
  trackerRefusals: {
    bad_csv:
      'Nothing was registered. The first line has to be hardwareId,pairingCode,model, and at most 500 trackers may follow.',
    user_not_found: 'There is no such person.',
    not_paired: 'Nobody has paired this tracker. Enter its owner.',
    paired_to_another: 'Someone else has paired this tracker. Unpair it first.',
    device_limit: 'This person already has the maximum number of trackers. Unpair one first.',
    tracker_disabled: 'The owner or the application is disabled: nothing that the tracker sends would be accepted.',
    verification_limit: 'That is the limit for now: a number is asked once a day. Try again tomorrow.',
    verification_used_up: 'This number has been asked three times and is not asked again. Call them.',
  } as Readonly<Record<string, string>>,
}

export type TrackerTexts = typeof trackers
